/** What a `?` of a query stands for. */
export interface QueryParameter {
  /** As `--param <name>=<value>` says it. */
  readonly name: string;
  /**
   * `run`: a run id. `run_date`: the UTC date of the run named by the parameter before it in `of`. `date`: a UTC date.
   * `text`: any text.
   */
  readonly kind: 'run' | 'run_date' | 'date' | 'text';
  /** For `run_date`: the parameter that names the run. */
  readonly of?: string;
  readonly comment: string;
}

/** A question about runs, in SQL that Athena and DuckDB both take. */
export interface NamedQuery {
  readonly name: string;
  /** What it answers, in one line. */
  readonly description: string;
  /** One for each `?`, in order. */
  readonly parameters: readonly QueryParameter[];
  readonly sql: string;
}

export const RUN: QueryParameter = { name: 'run', kind: 'run', comment: 'run id' };
export const RUN_DATE: QueryParameter = { name: 'dt', kind: 'run_date', of: 'run', comment: 'its UTC date' };
export const SINCE: QueryParameter = { name: 'since', kind: 'date', comment: 'first day, UTC' };

/**
 * The results of one run (`dt = ? AND run_id = ?`), each counted once: two parts may hold the same row when a batch was
 * handed on. What was evaluated beats what was not, and of two evaluations the worse one stands, as in the summary.
 */
export const ONE_RUN = resultsWhere('dt = ? AND run_id = ?');

/** As ONE_RUN, over every run since a day (`dt >= ?`). */
export const SINCE_DAY = resultsWhere('dt >= ?');

function resultsWhere(condition: string): string {
  return `results AS (
  SELECT *
  FROM (
    SELECT
      *,
      row_number() OVER (
        PARTITION BY run_id, row_id, target, trial, phase
        ORDER BY
          CASE status WHEN 'target_error' THEN 0 WHEN 'scored' THEN 1 WHEN 'judge_error' THEN 3 ELSE 4 END
            + CASE WHEN passed THEN 1 ELSE 0 END,
          COALESCE(score, -1),
          COALESCE(latency_ms, -1) DESC,
          COALESCE(cost_target_usd, -1) DESC,
          COALESCE(cost_judge_usd, -1) DESC
      ) AS copy
    FROM row_results
    WHERE ${condition}
  ) AS copies
  WHERE copy = 1
)`;
}
