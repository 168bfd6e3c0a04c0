import { useExpressionEngine } from '../expressionEngine';
import { installNetworkGuard } from '../network';

installNetworkGuard();
useExpressionEngine();
