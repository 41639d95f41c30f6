import { expect, test } from "vitest";
import { jobAt, marksOf, offsetOf, unplaced } from "./marks";

const text = "workflow: shop\njobs:\n  𝄞: {comand: x}\n";
const problem = (line: number, column: number, file = "shop.yaml") => ({
  file,
  line,
  column,
  severity: "error" as const,
  message: "unknown",
});

test("a place counts characters, not the units of a string", () => {
  expect(offsetOf(text, 1, 1)).toBe(0);
  expect(offsetOf(text, 2, 1)).toBe(15);
  expect(text.slice(offsetOf(text, 3, 7))).toBe("comand: x}\n");
  expect(offsetOf(text, 3, 900)).toBe(text.length - 1);
  expect(offsetOf(text, 90, 1)).toBe(text.length);
  expect(offsetOf("", 1, 1)).toBe(0);
});

test("a mark goes to the end of the word", () => {
  const [mark] = marksOf(text, "shop.yaml", [problem(3, 7), problem(1, 1, "loaded:other")]);
  expect(text.slice(mark?.from, mark?.to)).toBe("comand");
  expect(marksOf(text, "shop.yaml", [problem(0, 0)])[0]?.from).toBe(0);
});

test("what stands in no line of the file is told apart", () => {
  expect(unplaced("shop.yaml", [problem(3, 7), problem(0, 0), problem(2, 1, "loaded:other")])).toHaveLength(2);
});

test("where the definition of a job begins", () => {
  const jobs = 'workflow: orders\njobs:\n  orders-late: {}\n  orders: {}\n  "a b": {}\n';
  expect(jobs.slice(jobAt(jobs, "orders"))).toBe('  orders: {}\n  "a b": {}\n');
  expect(jobs.slice(jobAt(jobs, "a b"))).toBe('  "a b": {}\n');
  expect(jobAt(jobs, "nothing")).toBe(0);
  expect(jobAt(jobs, "")).toBe(0);
});
