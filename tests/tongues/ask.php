<?php

// Ask an exported sampler: php ask.php CubeTower.php DO NUMBERS...; see ask.lua for what it answers.

declare(strict_types=1);

require_once $argv[1];

const NOW = 1000; // drops before each vector's
const MOST = [98, 9, 5, 3, 2];
const AGES = [10, 300];
const ODD = [
    'colours' => ['red', 'white', 'blue'],
    'cubes' => ['red' => 30, 'white' => 0, 'blue' => 1],
    'phases' => ['blue', 'red', 'red'],
    'rounds' => 4,
];
const RULES = ['colours' => ['red', 'blue'], 'cubes' => 2, 'rounds' => 1];
const FOUR = [1, 2, 3, 4];

function vector(int $number, array $seed): string
{
    $word = CubeTower::words($seed, $number);
    $most = MOST[$word() % 5];
    $insideLeft = $word() % ($most + 1);
    $most = MOST[$word() % 5];
    $thrownLeft = $word() % ($most + 1);
    $inside = $cubes = $ids = [];
    $cube = 0;
    while ($insideLeft + $thrownLeft > 0) {
        $cube += 1 + $word() % 2;
        if ($word() % ($insideLeft + $thrownLeft) < $insideLeft) {
            $insideLeft--;
            $floor = $word() % count(CubeTower::MODEL['floors']);
            $age = 1 + $word() % AGES[$number % 2];
            $crowd = $word() % 2;
            $inside[] = [$cube, $floor, $age, $crowd];
            $cubes[] = ['id' => $cube, 'floor' => $floor, 'since' => NOW - $age, 'inCrowd' => $crowd === 1];
        } else {
            $thrownLeft--;
            $ids[] = $cube;
        }
    }
    $own = [$word(), $word(), $word(), $word()];
    $stream = $word();
    $drawn = CubeTower::words($own, $stream);
    $thrown = array_map(fn(int $id): array => ['id' => $id], array_reverse($ids));
    $after = CubeTower::drop(['drops' => NOW, 'cubes' => array_reverse($cubes)], $thrown, $drawn);
    return json_encode([
        'seed' => $own,
        'stream' => $stream,
        'inside' => array_reverse($inside),
        'thrown' => array_reverse($ids),
        'ends' => array_column($after['landings'], 'floor'),
        'next' => $drawn(),
    ]);
}

/** A state with one cube inside, with changes. */
function lying(array $changes): array
{
    $cube = ['id' => 1, 'colour' => 'red', 'floor' => 0, 'since' => 2, 'inCrowd' => false];
    return ['drops' => 3, 'cubes' => [$changes + $cube]];
}

function refused(): void
{
    $word = CubeTower::words(FOUR);
    $two = [['id' => 2]];
    $saved = fn($state): array => ['kind' => 'xoshiro128**', 'state' => $state];
    $cases = [
        ['words', [[1, 2, 3]], 'seed is [1,2,3]; allowed is a list of four whole numbers from 0 to 2^32 - 1'],
        ['words', [['a' => 1, 'b' => 2, 'c' => 3, 'd' => 4]], 'seed is {"a":1,"b":2,"c":3,"d":4}; allowed is a list'],
        ['words', [[1, 2, 3, 4294967296]], 'seed[3] is 4294967296; allowed is a whole number from 0 to 2^32 - 1'],
        ['words', [[1, 2, 3, NAN]], 'seed[3] is NAN; allowed is a whole number from 0 to 2^32 - 1'],
        ['words', [[1, '2', 3, 4]], 'seed[1] is "2"; allowed is a whole number from 0 to 2^32 - 1'],
        ['words', [FOUR, -1], 'stream is -1; allowed is a whole number from 0'],
        ['resume', [['kind' => 'pcg', 'state' => FOUR]], 'saved.kind is "pcg"; allowed is "xoshiro128**"'],
        ['resume', [$saved([0, 0, 0, 0])], 'saved.state is [0,0,0,0]; allowed is four words that are not all 0'],
        ['resume', [$saved([1, 2])], 'saved.state is [1,2]; allowed is a list of four whole numbers'],
        ['resume', [$saved(null)], 'saved.state is null; allowed is a list of four whole numbers'],
        ['drop', [lying([]), $two, fn() => 0.5], 'a word drawn is 0.5; allowed is a whole number from 0 to 2^32 - 1; pass'],
        ['drop', [lying([]), $two, fn() => -1], 'a word drawn is -1; allowed is a whole number from 0 to 2^32 - 1'],
        ['drop', [lying([]), $two, fn() => 4294967296], 'a word drawn is 4294967296; allowed is a whole number'],
        ['drop', [lying([]), $two, fn() => null], 'a word drawn is null; allowed is a whole number'],
        ['drop', [lying([]), $two, 'no_such_function'], 'word is "no_such_function"; allowed is a function that gives'],
        ['drop', [lying([]), $two, null], 'word is null; allowed is a function that gives whole numbers'],
        ['drop', [lying([]), [['id' => 1]], $word], 'thrown[0].id is 1; allowed is each number once'],
        ['drop', [lying([]), [['id' => 2], ['id' => 2]], $word], 'thrown[1].id is 2; allowed is each number once'],
        ['drop', [lying([]), [[]], $word], 'thrown[0].id is null; allowed is a whole number'],
        ['drop', [lying([]), [['id' => 0.5]], $word], 'thrown[0].id is 0.5; allowed is a whole number'],
        ['drop', [lying([]), array_fill(0, 10000, 7), $word], 'number of cubes is 10001; allowed is up to 10000 at a time'],
        ['drop', [lying([]), [7], $word], "thrown[0] is 7; allowed is a cube, an array with the keys 'id'"],
        ['drop', [lying([]), ['id' => 2], $word], 'thrown is {"id":2}; allowed is a list of cubes [id, colour]'],
        ['drop', [lying([]), [3 => ['id' => 2]], $word], 'thrown is {"3":{"id":2}}; allowed is a list of cubes'],
        ['drop', [['cubes' => []], [], $word], 'state.drops is null; allowed is a whole number from 0'],
        ['drop', [['drops' => -1, 'cubes' => []], [], $word], 'state.drops is -1; allowed is a whole number from 0'],
        ['drop', [['drops' => 3], [], $word], 'state.cubes is null; allowed is a list of cubes'],
        ['drop', [lying(['floor' => 99]), [], $word], 'state.cubes[0].floor is 99; allowed is a whole number from 0 to'],
        ['drop', [lying(['since' => 1.5]), [], $word], 'state.cubes[0].since is 1.5; allowed is a whole number from 0'],
        ['drop', [lying(['since' => 3]), [], $word], 'state.cubes[0].since is 3; allowed is a whole number from 0, below 3'],
        ['drop', [lying(['inCrowd' => 0]), [], $word], 'state.cubes[0].inCrowd is 0; allowed is true or false'],
        ['game', [['cubes' => -1] + RULES, FOUR], 'rules.cubes is -1; allowed is a whole number from 0 to 10000'],
        ['game', [['cubes' => ['red' => 2]] + RULES, FOUR], 'rules.cubes.blue is null; allowed is a whole number'],
        ['game', [['cubes' => ['red' => 2, 'bleu' => 2]] + RULES, FOUR], 'rules.cubes.bleu is 2; allowed is a colour, one of red, blue'],
        ['game', [['cubes' => 10000] + RULES, FOUR], 'rules.cubes is 20000; allowed is at most 10000 in all'],
        ['game', [['rounds' => '5'] + RULES, FOUR], 'rules.rounds is "5"; allowed is a whole number from 0 to 50000'],
        ['game', [['phases' => ['green']] + RULES, FOUR], 'rules.phases[0] is "green"; allowed is one of red, blue'],
        ['game', [['colours' => ['red', 'red']] + RULES, FOUR], 'rules.colours[1] is "red"; allowed is a word that is'],
        ['game', [['colours' => []] + RULES, FOUR], 'rules.colours is []; allowed is one or more different words'],
        ['game', [[], FOUR], 'rules.colours is null; allowed is a list of different words'],
        ['game', [RULES, FOUR, -1], 'stream is -1; allowed is a whole number from 0'],
    ];
    foreach ($cases as [$call, $given, $told]) {
        $message = 'nothing';
        try {
            CubeTower::$call(...$given);
        } catch (InvalidArgumentException $error) {
            $message = $error->getMessage();
        }
        echo "$told\t$message\n";
    }
}

/** Yield the path of every argument and of everything in it. */
function places($value, array $path = []): Generator
{
    if ($path !== []) {
        yield $path;
    }
    foreach (is_array($value) ? $value : [] as $key => $inner) {
        yield from places($inner, array_merge($path, [$key]));
    }
}

/** What is no array or number where a function declares one is PHP's own TypeError; all else is told by the sampler. */
function garbage(): void
{
    $odd = [
        null, true, false, 0, -1, 1.5, NAN, INF, 4294967296, PHP_INT_MAX, PHP_INT_MIN, 1e300, '', 'red', '7', "a\nb", "\xff",
        str_repeat('x', 10000), [], [1], [[]], ['id' => 1], [1, 3 => 2], fn() => 0.5, 'mt_rand', new stdClass(), STDIN,
    ];
    $cube = ['id' => 7, 'colour' => 'red', 'floor' => 1, 'since' => 0, 'inCrowd' => true];
    $state = ['drops' => 3, 'cubes' => [lying([])['cubes'][0], $cube]];
    $rules = ['colours' => ['red', 'blue'], 'phases' => ['blue'], 'cubes' => ['red' => 3, 'blue' => 2], 'rounds' => 2];
    $good = [
        'words' => [FOUR, 5],
        'resume' => [['kind' => 'xoshiro128**', 'state' => FOUR]],
        'drop' => [$state, [['id' => 6, 'colour' => 'red']], CubeTower::words(FOUR)],
        'game' => [$rules, FOUR, 5],
    ];
    $calls = $answered = 0;
    foreach ($good as $call => $given) {
        foreach (places($given) as $path) {
            foreach ($odd as $i => $value) {
                $changed = $given;
                $at = &$changed;
                foreach ($path as $key) {
                    $at = &$at[$key];
                }
                $at = $value;
                unset($at);
                $calls++;
                $message = '';
                try {
                    $found = CubeTower::$call(...$changed);
                    $answered++;
                    $all = fn(): int => count($changed[0]['cubes']) + count($changed[1]);
                    if ($call === 'drop' && count($found['landings']) !== $all()) {
                        echo "a cube is lost: ", implode('.', $path), " $i\n";
                    }
                    continue;
                } catch (TypeError $error) {
                    $message = $error->getMessage();
                    $known = count($path) === 1 && strpos($message, 'must be of type') !== false;
                } catch (InvalidArgumentException $error) {
                    $message = $error->getMessage();
                    $known = strlen($message) < 400 && preg_match('/^[^\n]+; allowed is [^\n]+$/D', $message) === 1;
                }
                if (!$known) {
                    echo implode('.', [$call, ...$path]), " $i $message\n";
                }
            }
        }
    }
    echo "$calls $answered\n";
}

[, , $what] = $argv;
$numbers = array_map('intval', array_slice($argv, 3));
$seed = array_slice($numbers, 0, 4);
$last = $numbers[4] ?? 0;
switch ($what) {
    case 'vectors':
        for ($i = 0; $i < $last; $i++) {
            echo vector($i, $seed), "\n";
        }
        break;
    case 'words':
        $drawn = CubeTower::words($seed, $last);
        for ($i = 0; $i < 1000; $i++) {
            $drawn = $i === 500 ? CubeTower::resume(json_decode(json_encode($drawn->save()), true)) : $drawn;
            echo $drawn(), "\n";
        }
        break;
    case 'games':
        foreach ([CubeTower::AMERIGO, ODD] as $rules) {
            for ($i = 0; $i < $last; $i++) {
                echo json_encode(CubeTower::game($rules, $seed, $i)), "\n";
            }
        }
        break;
    case 'scene':
        $drawn = CubeTower::words($seed);
        $thrown = array_map(fn(int $i): array => ['id' => $i, 'colour' => 'red'], range(59, 0));
        $first = CubeTower::drop(['drops' => 4, 'cubes' => []], $thrown, $drawn);
        $read = json_decode(json_encode($first['state']), true);
        $second = CubeTower::drop($read, [['id' => 70, 'colour' => 'blue']], $drawn);
        echo json_encode([$first, $second, CubeTower::drop($first['state'], [], $drawn)]), "\n";
        break;
    case 'carried':
        [$state, $drawn] = array_map(fn(string $line): array => json_decode($line, true), file('saved.json'));
        echo json_encode(CubeTower::drop($state, [['id' => 70, 'colour' => 'blue']], CubeTower::resume($drawn))), "\n";
        break;
    case 'refused':
        refused();
        break;
    case 'garbage':
        garbage();
        break;
    case 'names':
        echo json_encode([CubeTower::MODEL['apparatus'], ...CubeTower::MODEL['regions']]), "\n";
        break;
    case 'host':
        $thrown = array_map(fn(int $i): array => ['id' => $i], range(0, 48));
        $inside = 0;
        for ($i = 0; $i < $last; $i++) {
            $own = fn(): int => mt_rand(0, 65535) * 65536 + mt_rand(0, 65535);
            $inside += count(CubeTower::drop(CubeTower::empty(), $thrown, $own)['state']['cubes']);
        }
        echo $inside, "\n";
        break;
}
