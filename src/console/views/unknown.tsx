import { useTitle } from '../data/use-title.ts';
import { Heading } from '../parts/heading.tsx';
import { Empty } from '../parts/states.tsx';

/** An address that names nothing. */
export function UnknownView() {
  useTitle('Not found');
  return (
    <>
      <Heading title="Not found" />
      <Empty title="There is no such place in the console">
        <p>The address may be mistyped or cut off.</p>
        <p class="actions">
          <a class="button" href="#/">
            All projects
          </a>
        </p>
      </Empty>
    </>
  );
}
