import { installNetworkGuard } from '../http/guard';
import { startExpressionEngine, stopExpressionEngine } from '../expressionEngine';

installNetworkGuard();
beforeAll(startExpressionEngine);
afterAll(stopExpressionEngine);
