import { installNetworkGuard } from '../http/guard';
import { startExpressionEngine, stopExpressionEngine } from '../expression-engine';

installNetworkGuard();
beforeAll(startExpressionEngine);
afterAll(stopExpressionEngine);
