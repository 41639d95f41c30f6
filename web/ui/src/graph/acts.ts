import { createContext, useContext } from "react";

/** Acts are what nodes and lines of the picture can ask for. */
export interface Acts {
  select: (key: string) => void;
  open: (key: string) => void;
  expand: (key: string, way: "up" | "down") => void;
  menu: (key: string, x: number, y: number) => void;
}

export const ActsContext = createContext<Acts>({
  select: () => undefined,
  open: () => undefined,
  expand: () => undefined,
  menu: () => undefined,
});

export const useActs = () => useContext(ActsContext);
