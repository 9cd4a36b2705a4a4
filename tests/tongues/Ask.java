import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;

/** Ask an exported sampler: java Ask DO NUMBERS...; see ask.lua for what it answers. */
public final class Ask {
    private static final int NOW = 1000; // drops before each vector's
    private static final int[] MOST = {98, 9, 5, 3, 2};
    private static final int[] AGES = {10, 300};
    private static final long[] FOUR = {1, 2, 3, 4};
    private static final List<String> RED_BLUE = Arrays.asList("red", "blue");
    private static PrintStream out;

    private Ask() {}

    private static String vector(int number, long[] seed) {
        CubeTower.Words word = CubeTower.words(seed, number);
        int most = MOST[(int) (word.getAsLong() % 5)];
        long insideLeft = word.getAsLong() % (most + 1);
        most = MOST[(int) (word.getAsLong() % 5)];
        long thrownLeft = word.getAsLong() % (most + 1);
        List<String> inside = new ArrayList<>();
        List<CubeTower.Resident> cubes = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        List<CubeTower.Cube> thrown = new ArrayList<>();
        long cube = 0;
        while (insideLeft + thrownLeft > 0) {
            cube += 1 + word.getAsLong() % 2;
            if (word.getAsLong() % (insideLeft + thrownLeft) < insideLeft) {
                insideLeft--;
                long floor = word.getAsLong() % CubeTower.REGIONS.size();
                long age = 1 + word.getAsLong() % AGES[number % 2];
                long crowd = word.getAsLong() % 2;
                inside.add(0, String.format("[%d,%d,%d,%d]", cube, floor, age, crowd));
                cubes.add(0, new CubeTower.Resident(cube, "red", (int) floor, NOW - age, crowd == 1));
            } else {
                thrownLeft--;
                ids.add(0, cube);
                thrown.add(0, new CubeTower.Cube(cube, "red"));
            }
        }
        long[] own = {word.getAsLong(), word.getAsLong(), word.getAsLong(), word.getAsLong()};
        long stream = word.getAsLong();
        CubeTower.Words drawn = CubeTower.words(own, stream);
        List<Integer> ends = new ArrayList<>();
        CubeTower.State state = new CubeTower.State(NOW, cubes);
        for (CubeTower.Landing landing : CubeTower.drop(state, thrown, drawn).landings) ends.add(landing.floor);
        String line = "{\"seed\":" + Arrays.toString(own) + ",\"stream\":" + stream + ",\"inside\":" + inside
            + ",\"thrown\":" + ids + ",\"ends\":" + ends + ",\"next\":" + drawn.getAsLong() + "}";
        return line.replace(" ", "");
    }

    private static CubeTower.State lying(int floor, long since) {
        return new CubeTower.State(3, Collections.singletonList(new CubeTower.Resident(1, "red", floor, since, false)));
    }

    private static List<CubeTower.Cube> cubes(long... ids) {
        List<CubeTower.Cube> found = new ArrayList<>();
        for (long id : ids) found.add(new CubeTower.Cube(id, "red"));
        return found;
    }

    private static Map<String, Integer> counts(String first, int red, String second, int blue) {
        Map<String, Integer> counts = new HashMap<>();
        counts.put(first, red);
        counts.put(second, blue);
        return counts;
    }

    private static void refuses(String told, Runnable call) {
        String message = "nothing";
        try {
            call.run();
        } catch (IllegalArgumentException error) {
            message = error.getMessage();
        }
        out.println(told + "\t" + message);
    }

    private static void drops(String told, CubeTower.State state, List<CubeTower.Cube> thrown, LongSupplier word) {
        refuses(told, () -> CubeTower.drop(state, thrown, word));
    }

    private static void refused() {
        LongSupplier word = CubeTower.words(FOUR, 0);
        List<CubeTower.Cube> none = Collections.emptyList();
        refuses("seed is [1,2,3]; allowed is four whole numbers from 0 to 2^32 - 1",
            () -> CubeTower.words(new long[] {1, 2, 3}, 0));
        refuses("seed is null; allowed is four whole numbers", () -> CubeTower.words(null, 0));
        refuses("seed[3] is 4294967296; allowed is a whole number from 0 to 2^32 - 1",
            () -> CubeTower.words(new long[] {1, 2, 3, 1L << 32}, 0));
        refuses("seed[0] is -1; allowed is a whole number", () -> CubeTower.words(new long[] {-1, 2, 3, 4}, 0));
        refuses("stream is -1; allowed is a whole number from 0", () -> CubeTower.words(FOUR, -1));
        refuses("generator.kind is \"pcg\"; allowed is \"xoshiro128**\"",
            () -> CubeTower.Words.parse("{\"kind\": \"pcg\", \"state\": [1, 2, 3, 4]}"));
        refuses("generator.state is [0,0,0,0]; allowed is four words that are not all 0",
            () -> CubeTower.Words.parse("{\"kind\": \"xoshiro128**\", \"state\": [0, 0, 0, 0]}"));
        refuses("generator.state[1] is null; allowed is a whole number",
            () -> CubeTower.Words.parse("{\"kind\": \"xoshiro128**\", \"state\": [0, null, 0, 0]}"));
        refuses("generator as JSON is \"{\"; allowed is", () -> CubeTower.Words.parse("{"));
        for (String text : new String[] {"", "{", "[1,", "{\"a\"", "{\"a\":}", "{\"a\" 1}", "\"", "\"\\", "1.5", "-", "1e9", "tru",
                "[[[[[[[[[[[[[[", "{} {}", "{,}", "[1 2]", "99999999999999999999"}) {
            refuses("state as JSON is \"", () -> CubeTower.State.parse(text));
        }
        refuses("state is []; allowed is an object with keys", () -> CubeTower.State.parse("[]"));
        refuses("state.cubes is null; allowed is a list", () -> CubeTower.State.parse("{\"drops\": 1}"));
        refuses("state.cubes[0].inCrowd is 0; allowed is true or false", () -> CubeTower.State.parse(
            "{\"drops\": 1, \"cubes\": [{\"id\": 1, \"colour\": \"red\", \"floor\": 0, \"since\": 0, \"inCrowd\": 0}]}"));
        refuses("state.cubes[0].since is null; allowed is a whole number", () -> CubeTower.State.parse(
            "{\"drops\": 1, \"cubes\": [{\"id\": 1, \"colour\": \"red\", \"floor\": 0, \"inCrowd\": true}]}"));
        refuses("state.cubes[0].floor is 4294967296; allowed is a whole number", () -> CubeTower.State.parse(
            "{\"drops\": 1, \"cubes\": [{\"id\": 1, \"colour\": \"red\", \"floor\": 4294967296, \"inCrowd\": true}]}"));
        drops("a word drawn is -1; allowed is a whole number from 0 to 2^32 - 1; java.util.Random gives", lying(0, 2),
            cubes(2), () -> -1);
        drops("a word drawn is 4294967296; allowed is a whole number from 0", lying(0, 2), cubes(2), () -> 1L << 32);
        drops("word is null; allowed is a LongSupplier of whole numbers", lying(0, 2), cubes(2), null);
        drops("thrown[0].id is 1; allowed is each number once", lying(0, 2), cubes(1), word);
        drops("thrown[1].id is 2; allowed is each number once", lying(0, 2), cubes(2, 2), word);
        drops("number of cubes is 10001; allowed is up to 10000 at a time; throw fewer", lying(0, 2),
            Collections.nCopies(10000, null), word);
        drops("thrown[0] is null; allowed is a cube", lying(0, 2), Collections.singletonList(null), word);
        drops("thrown[0].colour is null; allowed is a word", lying(0, 2),
            Collections.singletonList(new CubeTower.Cube(2, null)), word);
        drops("thrown is null; allowed is a list of cubes", lying(0, 2), null, word);
        drops("state is null; allowed is a State", null, none, word);
        drops("state.drops is -1; allowed is a whole number from 0", new CubeTower.State(-1, Collections.emptyList()), none, word);
        drops("state.cubes[0] is null; allowed is a cube", new CubeTower.State(3, Collections.singletonList(null)), none, word);
        refuses("state.cubes is null; allowed is a list", () -> new CubeTower.State(3, null));
        drops("state.cubes[0].floor is 99; allowed is a whole number from 0 to", lying(99, 2), none, word);
        drops("state.cubes[0].floor is -1; allowed is a whole number from 0 to", lying(-1, 2), none, word);
        drops("state.cubes[0].since is -1; allowed is a whole number from 0", lying(0, -1), none, word);
        drops("state.cubes[0].since is 3; allowed is a whole number from 0, below 3", lying(0, 3), none, word);
        refuses("rules is null; allowed is Rules, as AMERIGO", () -> CubeTower.game(null, FOUR, 0));
        refuses("rules.cubes.red is -1; allowed is a whole number from 0 to 10000", () -> new CubeTower.Rules(RED_BLUE, -1, 1));
        refuses("rules.cubes.blue is null; allowed is a whole number", () -> new CubeTower.Rules(
            RED_BLUE, Collections.singletonMap("red", 2), Collections.emptyList(), 1));
        refuses("rules.cubes.bleu is 2; allowed is a colour, one of red, blue", () -> new CubeTower.Rules(
            RED_BLUE, counts("red", 2, "bleu", 2), Collections.emptyList(), 1));
        refuses("rules.cubes is 20000; allowed is at most 10000 in all", () -> new CubeTower.Rules(RED_BLUE, 10000, 1));
        refuses("rules.rounds is 50001; allowed is a whole number from 0 to 50000", () -> new CubeTower.Rules(RED_BLUE, 1, 50001));
        refuses("rules.phases[0] is \"green\"; allowed is one of red, blue", () -> new CubeTower.Rules(
            RED_BLUE, counts("red", 2, "blue", 2), Collections.singletonList("green"), 1));
        refuses("rules.colours[1] is \"red\"; allowed is a word that is not empty, each once", () -> new CubeTower.Rules(
            Arrays.asList("red", "red"), 2, 1));
        refuses("rules.colours is null; allowed is one or more different words", () -> new CubeTower.Rules(null, 2, 1));
        refuses("stream is -1; allowed is a whole number from 0", () -> CubeTower.game(CubeTower.AMERIGO, FOUR, -1));
    }

    private static void words(long[] seed, long stream) {
        CubeTower.Words drawn = CubeTower.words(seed, stream);
        for (int i = 0; i < 1000; i++) {
            if (i == 500) drawn = CubeTower.Words.parse(drawn.toString());
            out.println(drawn.getAsLong());
        }
    }

    private static void games(long[] seed, long count) {
        Map<String, Integer> cubes = counts("red", 30, "blue", 1);
        cubes.put("white", 0);
        CubeTower.Rules odd = new CubeTower.Rules(
            Arrays.asList("red", "white", "blue"), cubes, Arrays.asList("blue", "red", "red"), 4);
        for (CubeTower.Rules rules : Arrays.asList(CubeTower.AMERIGO, odd)) {
            for (int stream = 0; stream < count; stream++) out.println(CubeTower.game(rules, seed, stream));
        }
    }

    private static void scene(long[] seed) {
        CubeTower.Words drawn = CubeTower.words(seed, 0);
        List<CubeTower.Cube> thrown = new ArrayList<>();
        for (int i = 59; i >= 0; i--) thrown.add(new CubeTower.Cube(i, "red"));
        CubeTower.Outcome first = CubeTower.drop(new CubeTower.State(4, Collections.emptyList()), thrown, drawn);
        CubeTower.State read = CubeTower.State.parse(first.state.toString().replace(":", " :\n").replace(",", ".0 ,\t")
            .replace("\".0", "\"").replace("e.0", "e").replace("}.0", "}").replace("].0", "]"));
        if (!read.equals(first.state)) throw new AssertionError("a state is not read as it was written");
        CubeTower.Outcome second = CubeTower.drop(
            read, Collections.singletonList(new CubeTower.Cube(70, "blue")), drawn);
        out.println(Arrays.asList(first, second, CubeTower.drop(first.state, Collections.emptyList(), drawn)));
    }

    private static void carried() throws Exception {
        List<String> saved = Files.readAllLines(Paths.get("saved.json"));
        List<CubeTower.Cube> thrown = Collections.singletonList(new CubeTower.Cube(70, "blue"));
        CubeTower.Words drawn = CubeTower.Words.parse(saved.get(1));
        out.println(CubeTower.drop(CubeTower.State.parse(saved.get(0)), thrown, drawn));
    }

    private static void names() {
        List<CubeTower.Resident> cubes = new ArrayList<>();
        List<String> names = new ArrayList<>(Collections.singletonList(CubeTower.APPARATUS));
        names.addAll(CubeTower.REGIONS);
        for (String name : names) cubes.add(new CubeTower.Resident(cubes.size(), name, 0, 0, false));
        CubeTower.State state = CubeTower.State.parse(new CubeTower.State(1, cubes).toString());
        List<String> read = new ArrayList<>();
        for (CubeTower.Resident cube : state.cubes) {
            if (!cube.colour.equals(names.get(read.size()))) throw new AssertionError("a name is not read as written");
            read.add(cube.toString().replaceAll(".*\"colour\":(.*),\"floor\".*", "$1"));
        }
        out.println(read);
    }

    private static void host(long count) {
        long[] ids = new long[49];
        Arrays.setAll(ids, i -> i);
        Random random = new Random(1);
        int inside = 0;
        for (int i = 0; i < count; i++) {
            inside += CubeTower.drop(CubeTower.empty(), cubes(ids), () -> random.nextInt() & 0xFFFFFFFFL).state.cubes.size();
        }
        out.println(inside);
    }

    public static void main(String[] given) throws Exception {
        out = new PrintStream(System.out, false, "UTF-8");
        long[] numbers = Arrays.stream(given).skip(1).mapToLong(Long::parseLong).toArray();
        long[] seed = numbers.length < 4 ? null : Arrays.copyOf(numbers, 4);
        long last = numbers.length < 5 ? 0 : numbers[4];
        if (given[0].equals("vectors")) for (int i = 0; i < last; i++) out.println(vector(i, seed));
        else if (given[0].equals("words")) words(seed, last);
        else if (given[0].equals("games")) games(seed, last);
        else if (given[0].equals("scene")) scene(seed);
        else if (given[0].equals("carried")) carried();
        else if (given[0].equals("refused")) refused();
        else if (given[0].equals("names")) names();
        else host(last);
        out.flush();
    }
}
