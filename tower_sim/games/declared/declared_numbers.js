// Expressions of declared games, worked out as Python works them out: exactly. A plain script that makes one object.
//
// A whole number is a number; any other is a fraction { n, d } of BigInts in lowest terms, d > 1; null is no value. All
// are at most `limit` in size, so that every whole number is exact.

const declaredNumbers = (() => {
  /** What an expression cannot be: caught where its text is known. */
  class Trouble extends Error {}

  function divisor(a, b) {
    while (b) [a, b] = [b, a % b];
    return a < 0n ? -a : a;
  }

  /** Return n / d, of BigInts. */
  function fraction(n, d) {
    const common = divisor(n, d) * (d < 0n ? -1n : 1n);
    return d === common ? Number(n / common) : { n: n / common, d: d / common };
  }

  const isWhole = (x) => typeof x === "number";
  const big = (x) => (isWhole(x) ? { n: BigInt(x), d: 1n } : x);

  const COMPUTED = {
    "+": (a, b) =>
      isWhole(a) && isWhole(b) ? a + b : ofBig(a, b, (x, y) => fraction(x.n * y.d + y.n * x.d, x.d * y.d)),
    "-": (a, b) =>
      isWhole(a) && isWhole(b) ? a - b : ofBig(a, b, (x, y) => fraction(x.n * y.d - y.n * x.d, x.d * y.d)),
    "*": (a, b) => (isWhole(a) && isWhole(b) ? a * b : ofBig(a, b, (x, y) => fraction(x.n * y.n, x.d * y.d))),
    "/": (a, b) => {
      if (b === 0) throw new Trouble("a division by 0");
      return isWhole(a) && isWhole(b) && a % b === 0 ? a / b : ofBig(a, b, (x, y) => fraction(x.n * y.d, x.d * y.n));
    },
  };

  function ofBig(a, b, work) {
    return work(big(a), big(b));
  }

  /** Return a number below, at or above 0 as `a` is below, equal to or above `b`. */
  function order(a, b) {
    if (isWhole(a) && isWhole(b)) return a - b;
    const [x, y] = [big(a), big(b)];
    const [first, second] = [x.n * y.d, y.n * x.d];
    return first < second ? -1 : first > second ? 1 : 0;
  }

  const COMPARED = {
    "==": (a, b) => (typeof a === "string" ? a === b : order(a, b) === 0),
    "!=": (a, b) => (typeof a === "string" ? a !== b : order(a, b) !== 0),
    "<": (a, b) => order(a, b) < 0,
    "<=": (a, b) => order(a, b) <= 0,
    ">": (a, b) => order(a, b) > 0,
    ">=": (a, b) => order(a, b) >= 0,
  };

  /** Say whether a number holds: another than 0. */
  const holds = (x) => x !== null && x !== 0;

  /** Return the least whole number that is not below x. */
  function roundedUp(x) {
    return x === null || isWhole(x) ? x : Number(x.n / x.d) + (x.n > 0n ? 1 : 0);
  }

  /** Return how a number is written. */
  const written = (x) => (isWhole(x) ? String(x) : `${x.n}/${x.d}`);

  /**
   * Return a function without arguments that works out `tree`.
   *
   * `scope` says what names mean: scope.number(name) and scope.word(name) return such functions, scope.cubes(set) an
   * object whose colours() are the numbers of the colours that are meant, and count(colour) how many cubes those have;
   * scope.tables has look-ups by name, a list by colour; scope.limit is the largest number.
   */
  function worker(tree, scope) {
    if (!Array.isArray(tree)) return () => tree;
    const [does, ...parts] = tree;
    const sized = (value) => {
      const isTooLarge = isWhole(value)
        ? Math.abs(value) > scope.limit
        : order(value, scope.limit) > 0 || order(value, -scope.limit) < 0;
      if (isTooLarge) throw new Trouble(`a number over ${scope.limit}`);
      return value === 0 ? 0 : value; // not -0
    };
    if (does === "number") return scope.number(parts[0]);
    if (does === "word") return scope.word(parts[0]);
    if (does === "count" || does === "most" || does === "fewest") return ofCubes(does, scope.cubes(parts[0]));
    if (does === "sum") {
      const numbers = scope.tables.get(parts[0]);
      const cubes = scope.cubes(parts[1]);
      return () => sized(sumOf(cubes.colours().map((colour) => numbers[colour] * cubes.count(colour))));
    }
    const of = parts.map((part) => worker(part, scope));
    const [a, b] = of;
    if (Object.hasOwn(COMPARED, does)) {
      const compare = COMPARED[does];
      return () => {
        const [first, second] = [a(), b()];
        return first !== null && second !== null && compare(first, second) ? 1 : 0;
      };
    }
    if (Object.hasOwn(COMPUTED, does)) {
      const compute = COMPUTED[does];
      return () => {
        const [first, second] = [a(), b()];
        return first === null || second === null ? null : sized(compute(first, second));
      };
    }
    if (does === "or") return () => (holds(a()) || holds(b()) ? 1 : 0);
    if (does === "and") return () => (holds(a()) && holds(b()) ? 1 : 0);
    if (does === "not") return () => (holds(a()) ? 0 : 1);
    if (does === "ceil") return () => roundedUp(a());
    if (does === "max" || does === "min") return ofNumbers(does === "max" ? 1 : -1, of);
    throw new Error(`a tree begins with ${does}`);
  }

  function ofCubes(does, cubes) {
    if (does === "count") return () => sumOf(cubes.colours().map(cubes.count));
    const choose = does === "most" ? Math.max : Math.min;
    return () => {
      const counts = cubes.colours().map(cubes.count);
      return counts.length ? choose(...counts) : 0;
    };
  }

  function ofNumbers(sign, of) {
    return () => {
      const values = of.map((each) => each());
      if (values.includes(null)) return null;
      return values.reduce((best, value) => (sign * order(value, best) > 0 ? value : best));
    };
  }

  /**
   * Return { value, whole, holds } of an expression of the tree, functions without arguments; null for null.
   *
   * `value` is a number or null; `whole` is one that has to be whole, and from `least`. Both throw a RangeError of one
   * line, as Python's UsageError, for a division by 0, and for a number that is too large or not as it has to be.
   */
  function expression(given, scope, least = -scope.limit) {
    if (given === null) return null;
    if (isWhole(given)) return { value: () => given, whole: () => given, holds: () => given !== 0 };
    const work = worker(given.tree, scope);
    const refused = (told, allowed) =>
      new RangeError(`${given.where} (${given.text}) is ${told}; allowed is ${allowed}`);
    const value = () => {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        throw refused(error.message, `a number up to ${scope.limit}; mend it`);
      }
    };
    const allowed = `a whole number${least > -scope.limit ? ` from ${least}` : ""}; write ceil(...) or max(0, ...)`;
    const whole = () => {
      const found = value();
      if (found !== null && !(isWhole(found) && found >= least)) throw refused(written(found), allowed);
      return found;
    };
    return { value, whole, holds: () => holds(value()) };
  }

  return { expression, fraction, written };
})();
