import { parametersPage } from './parameters/page';
import { writePage } from './write';

// Writes docs/parameters.md from the forms of the nodes.
void writePage('parameters.md', parametersPage());
