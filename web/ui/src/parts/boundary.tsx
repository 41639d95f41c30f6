import { Component, type ReactNode } from "react";
import { CodeLost } from "./code";
import { LostCode } from "./lost";

/** A Boundary keeps a mistake in one part of the page from taking the rest away. Another value of reset tries again. */
export class Boundary extends Component<{ words: string; reset: string; children: ReactNode }, { failed: Error | null; reset: string }> {
  state: { failed: Error | null; reset: string } = { failed: null, reset: this.props.reset };

  static getDerivedStateFromError(error: Error) {
    return { failed: error };
  }

  static getDerivedStateFromProps(props: { reset: string }, state: { reset: string }) {
    return props.reset === state.reset ? null : { failed: null, reset: props.reset };
  }

  override render() {
    if (this.state.failed === null) return this.props.children;
    if (this.state.failed instanceof CodeLost) return <LostCode why={this.state.failed.why} />;
    return (
      <div className="page">
        <p className="problem" role="alert">
          {this.props.words}
        </p>
      </div>
    );
  }
}
