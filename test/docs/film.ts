import { messageOf } from '../../sandbox/guards';
import { makeFilms } from './film/make';

makeFilms().catch((error: unknown) => {
	process.stderr.write(`${messageOf(error)}\n`);
	process.exitCode = 1;
});
