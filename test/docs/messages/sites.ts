import ts from 'typescript';

import { filesIn, read } from '../repository';

/** A place in the shipped code that makes a message. */
export interface Site {
	/** Such as `nodes/WorkflowInstanceService/values/ids.ts:35`. */
	place: string;
	message: RegExp;
	advice: RegExp;
}

const ANYTHING = '[^]*';

function quoted(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The pattern of what an expression can give; whatever is not written there may be anything. */
function patternOf(node: ts.Expression | undefined): string {
	if (node === undefined) return ANYTHING;
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
		return quoted(node.text);
	}
	if (!ts.isTemplateExpression(node)) return ANYTHING;
	const parts = node.templateSpans.map(({ literal }) => ANYTHING + quoted(literal.text));
	return quoted(node.head.text) + parts.join('');
}

/** What a node of the source makes a message of: the words themselves, or where a value was found. */
function patternsAt(node: ts.Node): Pick<Site, 'message' | 'advice'> | undefined {
	if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
	const [first, place, , last] = [...(node.arguments ?? [])];
	const maker = node.expression.getText();
	if (maker === 'UserFacingError') {
		const message = new RegExp(`^${patternOf(first)}$`);
		return { message, advice: new RegExp(`^${patternOf(place)}$`) };
	}
	if (maker !== 'notExpected' && maker !== 'notExpectedEntry') return undefined;
	return { message: new RegExp(patternOf(place)), advice: new RegExp(`^${patternOf(last)}$`) };
}

/** All places where the shipped code makes a message, found in its sources. */
export function messageSites(): Site[] {
	const files = filesIn('nodes').filter((name) => name.endsWith('.ts'));
	return files.flatMap((file) => {
		const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
		const sitesIn = (node: ts.Node): Site[] => {
			const { line } = source.getLineAndCharacterOfPosition(node.getStart());
			const patterns = patternsAt(node);
			const own = patterns === undefined ? [] : [{ place: `${file}:${line + 1}`, ...patterns }];
			return [...own, ...node.getChildren().flatMap(sitesIn)];
		};
		return sitesIn(source);
	});
}
