import type { RetrievedReference } from '@aws-sdk/client-bedrock-agent-runtime';

/** Texts of the references; a row of a table as its columns in JSON; images and other media have none and are left out. */
export function passagesOf(references: readonly RetrievedReference[] | undefined): string[] {
  return (references ?? []).flatMap(({ content }) => {
    const { text, row } = content ?? {};
    if (text !== undefined && text.trim() !== '') return [text];
    if (row === undefined || row.length === 0) return [];
    return [
      JSON.stringify(
        Object.fromEntries(row.map(({ columnName = '', columnValue = null }) => [columnName, columnValue])),
      ),
    ];
  });
}
