import { messageOf } from '../../sandbox/guards';
import { takePictures } from './pictures/take';

takePictures().catch((error: unknown) => {
	process.stderr.write(`${messageOf(error)}\n`);
	process.exitCode = 1;
});
