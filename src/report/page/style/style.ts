import { BASE_STYLE } from './base.ts';
import { MEDIA_STYLE } from './media.ts';
import { ROWS_STYLE } from './rows.ts';
import { SECTIONS_STYLE } from './sections.ts';
import { VERDICT_STYLE } from './verdict.ts';

/** The report's style sheet. One text: the page allows exactly this and nothing else, by its hash. */
export const STYLE = `${BASE_STYLE}${VERDICT_STYLE}${SECTIONS_STYLE}${ROWS_STYLE}${MEDIA_STYLE}`;
