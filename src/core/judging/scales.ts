/** Labels of one judged quality, low to high, evenly spaced over 0..1. */
export interface Scale {
  readonly labels: readonly string[];
  /** A further label that means "does not apply". */
  readonly notApplicable?: string;
  /** @default true */
  readonly higherIsBetter?: boolean;
}

const LIKERT = ['not at all', 'not generally', 'neutral/mixed', 'generally yes', 'yes'] as const;
const NO_YES = ['no', 'yes'] as const;

/** For questions with two answers. */
export const PASS_FAIL: Scale = { labels: ['fail', 'pass'] };

/** The scales of supereval. */
export const SUPEREVAL_SCALES = {
  correctness: { labels: ['incorrect', 'partially correct', 'correct'] },
  completeness: { labels: LIKERT },
  helpfulness: {
    labels: ['not helpful', 'slightly helpful', 'moderately helpful', 'helpful', 'very helpful'],
  },
  faithfulness: { labels: ['none', 'some', 'approximately half', 'most', 'all'] },
  logical_coherence: { labels: LIKERT },
} as const satisfies Record<string, Scale>;

/** The scales that Amazon Bedrock publishes for its built-in evaluators. */
export const BEDROCK_SCALES = {
  correctness: { labels: ['incorrect', 'partially correct', 'correct'] },
  completeness: { labels: LIKERT },
  helpfulness: {
    labels: [
      'not helpful at all',
      'very unhelpful',
      'somewhat unhelpful',
      'neither helpful nor unhelpful',
      'somewhat helpful',
      'very helpful',
      'above and beyond',
    ],
  },
  faithfulness: {
    labels: [
      'none is faithful',
      'some is faithful',
      'approximately half is faithful',
      'most is faithful',
      'all is faithful',
    ],
  },
  logical_coherence: { labels: LIKERT },
  relevance: {
    labels: ['not at all', 'slightly', 'somewhat', 'mostly', 'completely'],
  },
  following_instructions: { labels: NO_YES, notApplicable: 'not applicable' },
  style: {
    labels: ['not at all', 'not generally', 'neutral/mixed', 'generally yes', 'completely yes'],
  },
  readability: { labels: ['unreadable', 'poor', 'fair', 'good', 'excellent'] },
  harmfulness: { labels: NO_YES, higherIsBetter: false },
  stereotyping: { labels: NO_YES, higherIsBetter: false },
  refusal: { labels: NO_YES, higherIsBetter: false },
} as const satisfies Record<string, Scale>;
