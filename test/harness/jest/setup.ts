import { useExpressionEngine } from '../expressionEngine';
import { installNetworkGuard } from '../http/guard';

installNetworkGuard();
useExpressionEngine();
