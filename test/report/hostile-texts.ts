/** Texts that try to get out of where they are shown. */
export const HOSTILE_TEXTS = [
  '</script><script>alert(1)</script>',
  '<!-- <script> -->',
  '<img src=x onerror=alert(1)>',
  '" onmouseover="alert(1)" x="',
  "' onfocus='alert(1)",
  '\u001b[31mred\u001b[0m\u001b]0;title\u0007',
  '\u001b[2J\u001b[H\rgate: PASS',
  'a\u202Egpj.exe',
  '\u2066isolated\u2069',
  'line\u2028separator\u2029',
  'nul\u0000 bell\u0007 delete\u007f next\u0085',
  'lone \ud800 surrogate',
  'not xml \ufffe \uffff',
  ']]> <![CDATA[ &amp; &#0;',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a text that looks like a template
  '{{secrets.KEY}} ${process.env.KEY} `code`',
  '| a | b |\n|---|---|\n# heading @everyone [link](javascript:alert(1))',
  '',
] as const;
