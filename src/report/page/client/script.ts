import { CLIENT_LIST } from './list.ts';
import { CLIENT_ROW } from './row.ts';
import { CLIENT_TEXT } from './text.ts';
import { CLIENT_TIMELINE } from './timeline.ts';

/** The page's own script, as one text: the page allows exactly this and nothing else, by its hash. */
export const CLIENT_SCRIPT = `(function () {\n'use strict';\n${CLIENT_TEXT}${CLIENT_TIMELINE}${CLIENT_ROW}${CLIENT_LIST}})();\n`;
