import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { ApiClient } from './api/client.ts';
import { type ApiFailure, toFailure } from './api/failure.ts';
import type { Caller } from './api/types.ts';
import { ConsoleContext } from './context.ts';
import { forgetLoaded } from './data/use-loaded.ts';
import { forgetPages } from './data/use-pages.ts';
import { Failure, Loading } from './parts/states.tsx';
import type { Route } from './routing/route.ts';
import { useRoute } from './routing/use-route.ts';
import type { TokenStore } from './session.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { CompareView } from './views/compare.tsx';
import { DatasetView } from './views/dataset.tsx';
import { DatasetsView } from './views/datasets.tsx';
import { EvalView } from './views/eval.tsx';
import { EvalsView } from './views/evals.tsx';
import { ProjectsView } from './views/projects.tsx';
import { RunView } from './views/run.tsx';
import { UnknownView } from './views/unknown.tsx';

export interface AppProps {
  /** Where the API is. */
  readonly base: string;
  readonly tokens: TokenStore;
}

/** Signed out, the token prompt; signed in, the place that the address names. */
export function App({ base, tokens }: AppProps) {
  const route = useRoute();
  const [token, setToken] = useState(tokens.read);
  const [caller, setCaller] = useState<Caller | null>(null);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [turn, setTurn] = useState(0);
  const [owner, setOwner] = useState<string | null>(null);

  const leave = useCallback(
    (why: ApiFailure | null) => {
      tokens.forget();
      forgetLoaded();
      forgetPages();
      setToken(null);
      setCaller(null);
      setFailure(why);
    },
    [tokens],
  );
  const client = useMemo(
    () => (token === null ? null : watched(new ApiClient({ base, token }), leave)),
    [base, token, leave],
  );
  useEffect(() => {
    if (client === null || caller !== null) return;
    const abort = new AbortController();
    client
      .caller(abort.signal)
      .then(setCaller)
      .catch((error: unknown) => {
        if (!abort.signal.aborted) setFailure(toFailure(error));
      });
    return () => abort.abort();
  }, [client, caller, turn]);

  if (client === null) {
    const enter = (given: string, known: Caller) => {
      tokens.keep(given);
      setFailure(null);
      setCaller(known);
      setToken(given);
    };
    return <SignIn base={base} failure={failure} enter={enter} />;
  }
  if (caller === null) {
    const retry = () => {
      setFailure(null);
      setTurn(turn + 1);
    };
    return (
      <main class="alone">
        {failure === null ? <Loading what="the console" /> : <Failure failure={failure} retry={retry} />}
      </main>
    );
  }
  return (
    <ConsoleContext.Provider value={{ client, base, caller, canWrite: caller.access === 'write', setOwner }}>
      <Shell route={route} owner={owner} caller={caller} signOut={() => leave(null)}>
        <View route={route} />
      </Shell>
    </ConsoleContext.Provider>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'projects':
      return <ProjectsView />;
    case 'evals':
      return <EvalsView key={route.project} project={route.project} />;
    case 'datasets':
      return <DatasetsView key={route.project} project={route.project} />;
    case 'dataset':
      return <DatasetView key={route.id} id={route.id} />;
    case 'eval':
      return <EvalView key={route.id} id={route.id} />;
    case 'run':
      return <RunView key={route.id} id={route.id} rows={route.rows} />;
    case 'compare':
      return <CompareView key={`${route.first} ${route.second}`} {...route} />;
    default:
      return <UnknownView />;
  }
}

/** The client, which ends the session when the server takes the token no more. */
function watched(client: ApiClient, leave: (why: ApiFailure) => void): ApiClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        try {
          return await value.apply(target, args);
        } catch (error) {
          const failure = toFailure(error);
          if (failure.kind === 'signed-out') leave(failure);
          throw error;
        }
      };
    },
  });
}
