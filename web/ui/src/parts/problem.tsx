import { Link } from "wouter";
import { ApiError, Unreachable } from "../api/client";
import { useT } from "../i18n/language";

/** ProblemView says what went wrong in the server's words, everything that is wrong with the request, and a way on. */
export function ProblemView({ error, retry }: { error: Error; retry?: () => void }) {
  const t = useT();
  if (error instanceof ApiError) {
    const { problem } = error;
    // What is wrong with the request is so again, and the hint of it is for who reads the answer as a program does; so is that of what is not there.
    const listed = problem.errors !== undefined && problem.errors.length > 0;
    const missing = problem.status === 404;
    return (
      <div className="problem stack" role="alert">
        <strong>{missing ? t("error.notFound") : problem.status === 403 ? t("error.forbidden") : (problem.detail ?? problem.title)}</strong>
        {(missing || problem.status === 403) && problem.detail !== undefined && <p>{problem.detail}</p>}
        {listed && (
          <ul>
            {problem.errors?.map((one) => (
              <li key={`${one.location} ${one.message}`}>
                {one.location !== undefined && <code>{one.location} </code>}
                {one.message}
              </li>
            ))}
          </ul>
        )}
        {problem.hint !== undefined && !listed && !missing && <p className="soft">{problem.hint}</p>}
        <div className="row">
          {retry && !listed && (
            <button type="button" onClick={retry}>
              {t("error.again")}
            </button>
          )}
          {missing && <Link href="/">{t("error.home")}</Link>}
        </div>
      </div>
    );
  }
  return (
    <div className="problem row" role="alert">
      <span className="grow">{error instanceof Unreachable ? t("error.unreachable") : error.message}</span>
      {retry && (
        <button type="button" onClick={retry}>
          {t("error.again")}
        </button>
      )}
    </div>
  );
}

/** Loaded shows what a query has: its data as long as there are some, also when asking again failed; else the problem, or that it is under way. */
export function Loaded<T>(props: {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown };
  children: (data: T) => React.ReactNode;
}) {
  const t = useT();
  const { data, error, refetch } = props.query;
  const told = error !== null && !silent(error, data !== undefined) ? <ProblemView error={error} retry={() => refetch()} /> : null;
  if (data === undefined) return told ?? <p className="soft">{t("page.loading")}</p>;
  return (
    <>
      {told}
      {props.children(data)}
    </>
  );
}

/** silent is what the entry of the token tells already, or, as long as there is something to see, the banner. */
function silent(error: Error, some: boolean): boolean {
  return (some && error instanceof Unreachable) || (error instanceof ApiError && error.problem.status === 401);
}
