<?php

// A cube tower without physics: what comes out of it when cubes are thrown in, drawn from a table of whole numbers.
// One file without dependencies for PHP 7.4 and later with whole numbers of 64 bits; it may be put into a namespace.
// The same seed and stream give the same cubes as in Python, digit for digit: see docs/surrogate_portable.md.
//
//   require_once 'CubeTower.php';
//   $word = CubeTower::words([1, 2, 3, 4], 0);    // four whole numbers below 2^32, and the stream's number
//   $thrown = [['id' => 0, 'colour' => 'red'], ['id' => 1, 'colour' => 'blue']];
//   $first = CubeTower::drop(CubeTower::empty(), $thrown, $word);
//   $second = CubeTower::drop($first['state'], $first['emerged'], $word);    // what came out is thrown again
//   CubeTower::game(CubeTower::AMERIGO, [1, 2, 3, 4], 0)['emerged'];         // a whole game: counts by drop and colour
//
// What no drop can begin with is an InvalidArgumentException of one line: what was given, and what is allowed.

declare(strict_types=1);

if (PHP_INT_SIZE < 8) {
    throw new \RuntimeException('CubeTower needs a PHP whose whole numbers have 64 bits; this one has fewer');
}

/** The tower. A state is the array ['drops', 'cubes' => [['id', 'colour', 'floor', 'since', 'inCrowd'], ...]]. */
final class CubeTower
{
    /** The published game; the keys are those of a rules file. No 'phases' means the order of 'colours'. */
    public const AMERIGO = [
        'colours' => ['blue', 'black', 'red', 'brown', 'green', 'yellow', 'white'],
        'cubes' => 7, // of each colour, or an array with a number for every colour
        'rounds' => 5,
    ];

    /** What was fitted: the command `tower-sim surrogate export` writes it here. */
    public const MODEL = null;

    private const OUT = -1;
    private const WORD = 4294967296; // 2^32
    private const MOST_CUBES = 10000; // of a game, or at a time
    private const MOST_DROPS = 100000; // of a game

    /** Return the tower with no cube inside. */
    public static function empty(): array
    {
        return ['drops' => 0, 'cubes' => []];
    }

    /** Return a generator: call it for the next word. `$seed` is a list of four words. */
    public static function words(array $seed, int $stream = 0): CubeTowerWords
    {
        return CubeTowerWords::seeded($seed, $stream);
    }

    /** Return a generator that goes on where one stood when its `save()` was called. */
    public static function resume(array $saved): CubeTowerWords
    {
        return CubeTowerWords::resumed($saved);
    }

    /**
     * Throw cubes `$thrown` ([['id', 'colour'], ...]) into the tower: return ['state', 'emerged', 'landings'].
     *
     * 'state' is the one after the drop, 'emerged' the cubes that came out, 'landings' where every cube is now, by
     * number; a floor is numbered from the top, -1 is out. `$word` is a generator of words(), or any function that
     * gives whole numbers from 0 to 2^32 - 1.
     */
    public static function drop(array $state, array $thrown, $word): array
    {
        self::checkDrop($state, $thrown);
        return self::dropped($state, $thrown, CubeTowerCheck::words($word));
    }

    /**
     * Play the tower's part of a game of Amerigo: the set-up, then the phases of every round.
     *
     * Return ['thrown', 'emerged', 'inside']: counts of cubes by drop and colour; 'inside' is counted after the drop.
     * It draws from words($seed, $stream), and equals game number `$stream` of Python's sample_games with the same
     * four words.
     */
    public static function game(array $rules, array $seed, int $stream = 0): array
    {
        [$colours, $counts, $phases, $rounds] = self::checkedRules($rules);
        $word = self::words($seed, $stream);
        $cubes = [];
        foreach ($colours as $i => $colour) {
            for ($k = 0; $k < $counts[$i]; $k++) {
                $cubes[] = ['id' => count($cubes), 'colour' => $colour];
            }
        }
        $order = [null]; // the set-up throws all
        for ($round = 0; $round < $rounds; $round++) {
            array_push($order, ...$phases);
        }
        $state = self::empty();
        $found = ['thrown' => [], 'emerged' => [], 'inside' => []];
        foreach ($order as $phase) {
            $inside = array_column($state['cubes'], 'id', 'id');
            $thrown = array_values(array_filter($cubes, fn(array $cube): bool =>
                !isset($inside[$cube['id']]) && ($phase === null || $cube['colour'] === $phase)));
            $emerged = [];
            if ($thrown !== []) { // a skipped phase makes no cube older
                ['state' => $state, 'emerged' => $emerged] = self::dropped($state, $thrown, $word);
            }
            $found['thrown'][] = self::tally($colours, $thrown);
            $found['emerged'][] = self::tally($colours, $emerged);
            $found['inside'][] = self::tally($colours, $state['cubes']);
        }
        return $found;
    }

    private static function tally(array $colours, array $cubes): array
    {
        $counts = array_count_values(array_column($cubes, 'colour'));
        return array_map(fn(string $colour): int => $counts[$colour] ?? 0, $colours);
    }

    /** Do what drop() does, with arguments that are as they should be. */
    private static function dropped(array $state, array $thrown, callable $word): array
    {
        $cubes = array_merge($state['cubes'], array_map(
            fn(array $cube): array => ['id' => $cube['id'], 'colour' => $cube['colour'] ?? null, 'floor' => self::OUT],
            $thrown
        ));
        usort($cubes, fn(array $one, array $other): int => $one['id'] <=> $other['id']);
        $odds = $thrown === [] ? [] : self::drawOdds($state, count($thrown), $word);
        $next = ['drops' => $state['drops'] + 1, 'cubes' => []];
        $emerged = [];
        $landings = [];
        foreach ($cubes as $cube) {
            $start = $cube['floor'];
            $end = $thrown === [] ? $start : self::endOf($cube, $state['drops'], $odds, $word);
            $same = ['id' => $cube['id'], 'colour' => $cube['colour'] ?? null];
            $place = $end === self::OUT ? 'tray' : 'inside:' . self::MODEL['regions'][$end];
            $landings[] = $same + ['floor' => $end, 'place' => $place];
            if ($end === self::OUT) {
                $emerged[] = $same;
            } elseif ($start === self::OUT) {
                $crowd = count($thrown) >= self::MODEL['crowd_from'];
                $next['cubes'][] = $same + ['floor' => $end, 'since' => $state['drops'], 'inCrowd' => $crowd];
            } else {
                $next['cubes'][] = $same + ['floor' => $end, 'since' => $cube['since'], 'inCrowd' => $cube['inCrowd']];
            }
        }
        return ['state' => $next, 'emerged' => $emerged, 'landings' => $landings];
    }

    /** Draw every floor's shared effect; return the floors' log-odds to pass, without what a cube adds of its own. */
    private static function drawOdds(array $state, int $thrown, callable $word): array
    {
        $odds = [];
        foreach (self::MODEL['floors'] as $i => $floor) {
            $lying = 0;
            $fresh = 0;
            foreach ($state['cubes'] as $cube) {
                if ($cube['floor'] === $i) {
                    $lying++;
                    $fresh += $state['drops'] - $cube['since'] <= self::MODEL['fresh_to'] ? 1 : 0;
                }
            }
            $effect = self::hasEffect($i) ? $word() >> 28 : 0;
            $odds[] = [
                'arriving' => self::at($floor['arriving_thrown'], $thrown) + self::at($floor['arriving_lying'], $lying)
                    + self::at($floor['arriving_fresh'], $fresh) + self::at($floor['arriving_effect'], $lying)[$effect],
                'lying' => self::at($floor['lying_thrown'], $thrown) + self::at($floor['lying_lying'], $lying)
                    + self::at($floor['lying_effect'], $lying)[$effect],
            ];
        }
        return $odds;
    }

    /** Let a cube go down from where it lies, or from the top (OUT); return the floor on which it ends, or OUT. */
    private static function endOf(array $cube, int $drops, array $odds, callable $word): int
    {
        $floors = self::MODEL['floors'];
        $start = $cube['floor'];
        if ($start !== self::OUT) {
            $own = self::at($floors[$start][$cube['inCrowd'] ? 'crowd' : 'age'], $drops - $cube['since']);
            if ($word() >= self::threshold($odds[$start]['lying'] + $own)) {
                return $start;
            }
        }
        for ($i = $start + 1; $i < count($floors); $i++) {
            $own = $start === self::OUT ? 0 : $floors[$i]['pushed'];
            if ($word() >= self::threshold($odds[$i]['arriving'] + $own)) {
                return $i;
            }
        }
        return self::OUT;
    }

    /** Say whether a word is drawn for the floor's shared effect. */
    private static function hasEffect(int $floor): bool
    {
        static $found = null;
        $any = fn(array $rows): bool => array_filter(array_merge(...$rows)) !== [];
        $found = $found ?? array_map(
            fn(array $each): bool => $any($each['arriving_effect']) || $any($each['lying_effect']),
            self::MODEL['floors']
        );
        return $found[$floor];
    }

    /** Return the chance of log-odds, times 2^32. */
    private static function threshold(int $odds): int
    {
        $entry = self::at(self::MODEL['thresholds'], abs($odds));
        return $odds >= 0 ? $entry : self::WORD - $entry;
    }

    /** Return an entry of a list; beyond the end the last one. */
    private static function at(array $entries, int $index)
    {
        return $entries[min($index, count($entries) - 1)];
    }

    /** Refuse a state or a throw that no drop can begin with. */
    private static function checkDrop(array $state, array $thrown): void
    {
        $drops = CubeTowerCheck::whole('state.drops', $state['drops'] ?? null, 0, PHP_INT_MAX - 1);
        CubeTowerCheck::list('state.cubes', $state['cubes'] ?? null, 'cubes [id, colour, floor, since, inCrowd]');
        CubeTowerCheck::list('thrown', $thrown, 'cubes [id, colour]');
        $number = count($state['cubes']) + count($thrown);
        if ($number > self::MOST_CUBES) {
            $allowed = 'up to ' . self::MOST_CUBES . ' at a time; throw fewer';
            throw CubeTowerCheck::refused('number of cubes', $number, $allowed);
        }
        $there = [];
        foreach (['state.cubes' => $state['cubes'], 'thrown' => $thrown] as $name => $cubes) {
            foreach ($cubes as $i => $cube) {
                $path = "{$name}[$i]";
                if (!is_array($cube)) {
                    throw CubeTowerCheck::refused($path, $cube, "a cube, an array with the keys 'id' and 'colour'");
                }
                $id = CubeTowerCheck::whole("$path.id", $cube['id'] ?? null, PHP_INT_MIN);
                if (isset($there[$id])) {
                    throw CubeTowerCheck::refused("$path.id", $id, 'each number once; it is there or thrown already');
                }
                $there[$id] = true;
            }
        }
        foreach ($state['cubes'] as $i => $cube) {
            $path = "state.cubes[$i]";
            CubeTowerCheck::whole("$path.floor", $cube['floor'] ?? null, 0, count(self::MODEL['floors']) - 1);
            if (CubeTowerCheck::whole("$path.since", $cube['since'] ?? null, 0) >= $drops) {
                throw CubeTowerCheck::refused("$path.since", $cube['since'], "a whole number from 0, below $drops");
            }
            if (!is_bool($cube['inCrowd'] ?? null)) {
                throw CubeTowerCheck::refused("$path.inCrowd", $cube['inCrowd'] ?? null, 'true or false');
            }
        }
    }

    /** Return the colours, how many cubes each has, the phases of a round and the rounds; refuse other rules. */
    private static function checkedRules(array $rules): array
    {
        $colours = $rules['colours'] ?? null;
        $phases = $rules['phases'] ?? [];
        $cubes = $rules['cubes'] ?? null;
        CubeTowerCheck::list('rules.colours', $colours, 'different words');
        CubeTowerCheck::list('rules.phases', $phases, 'colours');
        if ($colours === []) {
            throw CubeTowerCheck::refused('rules.colours', $colours, 'one or more different words');
        }
        foreach ($colours as $i => $colour) {
            if (!is_string($colour) || $colour === '' || array_search($colour, $colours, true) !== $i) {
                throw CubeTowerCheck::refused("rules.colours[$i]", $colour, 'a word that is not empty, each once');
            }
        }
        $among = 'one of ' . CubeTowerCheck::short(implode(', ', $colours));
        foreach ($phases as $i => $phase) {
            if (!in_array($phase, $colours, true)) {
                throw CubeTowerCheck::refused("rules.phases[$i]", $phase, $among);
            }
        }
        foreach (is_array($cubes) ? $cubes : [] as $key => $count) {
            if (!in_array((string) $key, $colours, true)) {
                $name = 'rules.cubes.' . CubeTowerCheck::short((string) $key);
                throw CubeTowerCheck::refused($name, $count, "a colour, $among");
            }
        }
        $counts = [];
        foreach ($colours as $colour) {
            $name = is_array($cubes) ? 'rules.cubes.' . CubeTowerCheck::short($colour) : 'rules.cubes';
            $count = is_array($cubes) ? $cubes[$colour] ?? null : $cubes;
            $counts[] = CubeTowerCheck::whole($name, $count, 0, self::MOST_CUBES);
        }
        if (array_sum($counts) > self::MOST_CUBES) {
            $allowed = 'at most ' . self::MOST_CUBES . ' in all';
            throw CubeTowerCheck::refused('rules.cubes', array_sum($counts), $allowed);
        }
        $phases = $phases === [] ? $colours : $phases;
        $most = intdiv(self::MOST_DROPS, count($phases));
        return [$colours, $counts, $phases, CubeTowerCheck::whole('rules.rounds', $rules['rounds'] ?? null, 0, $most)];
    }
}

/** A generator of words, whole numbers from 0 to 2^32 - 1: xoshiro128**. Call it for the next word. */
final class CubeTowerWords
{
    private const KIND = 'xoshiro128**';
    private const MASK = 0xFFFFFFFF;
    private const GOLDEN = 0x9E3779B9;

    /** @var int[] four words, not all of them 0 */
    private array $state;

    private function __construct(array $state)
    {
        $this->state = $state;
    }

    /** Return the generator of four words and the number of a stream. */
    public static function seeded(array $seed, int $stream = 0): self
    {
        CubeTowerCheck::fourWords('seed', $seed);
        CubeTowerCheck::whole('stream', $stream, 0);
        $state = [];
        foreach ($seed as $i => $word) {
            $state[] = self::mixed($word + self::mixed(($stream & self::MASK) + self::GOLDEN * ($i + 1) & self::MASK));
        }
        $state[3] |= 1; // not all of them 0
        return new self($state);
    }

    /** Return a generator that goes on where another stood when it was saved. */
    public static function resumed(array $saved): self
    {
        $kind = $saved['kind'] ?? null;
        if ($kind !== self::KIND) {
            throw CubeTowerCheck::refused('saved.kind', $kind, '"' . self::KIND . '"');
        }
        $state = $saved['state'] ?? null;
        CubeTowerCheck::fourWords('saved.state', $state);
        if ($state === [0, 0, 0, 0]) {
            throw CubeTowerCheck::refused('saved.state', $state, 'four words that are not all 0');
        }
        return new self($state);
    }

    /** Return where it stands as plain data. */
    public function save(): array
    {
        return ['kind' => self::KIND, 'state' => $this->state];
    }

    /** Return the next word. */
    public function __invoke(): int
    {
        [$a, $b, $c, $d] = $this->state;
        $found = self::rotated($b * 5 & self::MASK, 7) * 9 & self::MASK;
        $c ^= $a;
        $d ^= $b;
        $this->state = [$a ^ $d, $b ^ $c, $c ^ ($b << 9 & self::MASK), self::rotated($d, 11)];
        return $found;
    }

    private static function rotated(int $word, int $places): int
    {
        return ($word << $places | $word >> 32 - $places) & self::MASK;
    }

    /** Return a word that depends on every bit of `$x`, of which 32 count: the finaliser of MurmurHash3. */
    private static function mixed(int $x): int
    {
        $x &= self::MASK;
        $x = self::times($x ^ $x >> 16, 0x85EBCA6B);
        $x = self::times($x ^ $x >> 13, 0xC2B2AE35);
        return $x ^ $x >> 16;
    }

    /** Multiply two words; the halves of one apart, since whole numbers of PHP turn into fractions beyond 64 bits. */
    private static function times(int $a, int $b): int
    {
        return ((($a >> 16) * $b & 0xFFFF) << 16) + ($a & 0xFFFF) * $b & self::MASK;
    }
}

/** What is not allowed, and how it is told. */
final class CubeTowerCheck
{
    private const ADVICE = 'pass CubeTower::words([1, 2, 3, 4]), or fn() => random_int(0, 4294967295)';
    private const LAST = 0xFFFFFFFF;

    /** Return the error that `$what` is `$value` and what is allowed. */
    public static function refused(string $what, $value, string $allowed): \InvalidArgumentException
    {
        return new \InvalidArgumentException("$what is " . self::shown($value) . "; allowed is $allowed");
    }

    /** Return `$value`, a whole number from `$least` to `$most`; refuse everything else. */
    public static function whole(string $what, $value, int $least, int $most = PHP_INT_MAX, string $advice = ''): int
    {
        if (is_int($value) && $value >= $least && $value <= $most) {
            return $value;
        }
        $from = $least === PHP_INT_MIN ? '' : " from $least";
        $to = $most >= PHP_INT_MAX - 1 ? '' : ($most === self::LAST ? ' to 2^32 - 1' : " to $most");
        throw self::refused($what, $value, "a whole number$from$to" . ($advice === '' ? '' : "; $advice"));
    }

    /** Refuse what is no list. */
    public static function list(string $what, $value, string $of): void
    {
        if (!is_array($value) || array_keys($value) !== array_keys(array_keys($value))) {
            throw self::refused($what, $value, "a list of $of");
        }
    }

    /** Refuse what is no list of four words. */
    public static function fourWords(string $what, $value): void
    {
        $allowed = 'four whole numbers from 0 to 2^32 - 1';
        self::list($what, $value, $allowed);
        if (count($value) !== 4) {
            throw self::refused($what, $value, "a list of $allowed");
        }
        foreach ($value as $i => $word) {
            self::whole("{$what}[$i]", $word, 0, self::LAST);
        }
    }

    /** Return `$word`, which then refuses to give anything but words. */
    public static function words($word): callable
    {
        if (!is_callable($word)) {
            $allowed = 'a function that gives whole numbers from 0 to 2^32 - 1; ' . self::ADVICE;
            throw self::refused('word', $word, $allowed);
        }
        return fn(): int => self::whole('a word drawn', $word(), 0, self::LAST, self::ADVICE);
    }

    /** Return a text, without its middle when it is long. */
    public static function short(string $text): string
    {
        $parts = '/^(.{50}).{11,}(.{20})$/us';
        return preg_replace('/[[:cntrl:]]/', ' ', preg_replace($parts, '$1...$2', $text) ?? 'what is no UTF-8');
    }

    private static function shown($value): string
    {
        if (is_object($value)) {
            return 'an object of ' . get_class($value);
        }
        if (is_float($value)) {
            return var_export($value, true);
        }
        $text = json_encode($value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR);
        return self::short($text === false ? 'what has no form in JSON' : $text);
    }
}
