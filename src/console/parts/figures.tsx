import type { ComponentChildren } from 'preact';

export interface TileProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly detail?: ComponentChildren;
  readonly tone?: 'good' | 'bad' | undefined;
}

export function Tiles({ children }: { readonly children: ComponentChildren }) {
  return <dl class="tiles">{children}</dl>;
}

export function Tile({ name, value, detail, tone }: TileProps) {
  return (
    <div class={`tile ${tone ?? ''}`}>
      <dt>{name}</dt>
      <dd class="value">{value}</dd>
      {detail !== undefined && <dd class="detail">{detail}</dd>}
    </div>
  );
}

export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A share 0..1 as a bar, with its interval and the mark it has to reach where they are known. */
export function Bar({
  value,
  tone = 'plain',
  interval = null,
}: {
  readonly value: number | null;
  readonly tone?: 'plain' | 'good' | 'bad';
  readonly interval?: readonly [number, number] | null;
}) {
  const at = (share: number) => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`;
  return (
    <svg class={`bar ${tone}`} height="10" width="100%" aria-hidden="true">
      <rect class="track" width="100%" height="10" rx="5" />
      {value !== null && <rect class="fill" width={at(value)} height="10" rx="5" />}
      {interval !== null && (
        <>
          <line class="ci-halo" x1={at(interval[0])} x2={at(interval[1])} y1="5" y2="5" />
          <line class="ci" x1={at(interval[0])} x2={at(interval[1])} y1="5" y2="5" />
        </>
      )}
    </svg>
  );
}
