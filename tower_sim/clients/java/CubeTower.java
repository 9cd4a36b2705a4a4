import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A cube tower without physics: what comes out of it when cubes are thrown in, drawn from a table of whole numbers.
 *
 * <p>One file without dependencies for Java 8 and later; a line {@code package ...;} may be put above it. The same seed
 * and stream give the same cubes as in Python, digit for digit: see docs/surrogate_portable.md.
 *
 * <pre>
 *   CubeTower.Words word = CubeTower.words(new long[] {1, 2, 3, 4}, 0);   // four words, and the stream's number
 *   List&lt;CubeTower.Cube&gt; thrown = Arrays.asList(new CubeTower.Cube(0, "red"), new CubeTower.Cube(1, "blue"));
 *   CubeTower.Outcome first = CubeTower.drop(CubeTower.empty(), thrown, word);
 *   CubeTower.Outcome second = CubeTower.drop(first.state, first.emerged, word);  // what came out is thrown again
 *   CubeTower.game(CubeTower.AMERIGO, new long[] {1, 2, 3, 4}, 0).emerged         // counts by drop and colour
 * </pre>
 *
 * <p>What no drop can begin with is an IllegalArgumentException of one line: what was given, and what is allowed.
 */
public final class CubeTower {
    /** The published game. */
    public static final Rules AMERIGO =
        new Rules(Arrays.asList("blue", "black", "red", "brown", "green", "yellow", "white"), 7, 5);

    private static final int OUT = -1;
    private static final long WORD = 1L << 32;
    private static final int MOST_CUBES = 10000; // of a game, or at a time
    private static final int MOST_DROPS = 100000; // of a game
    private static final String ADVICE = "java.util.Random gives negative numbers too: pass "
        + "CubeTower.words(new long[] {1, 2, 3, 4}, 0), or () -> random.nextInt() & 0xFFFFFFFFL";

    // What was fitted: the command `tower-sim surrogate export` writes it here.
    // the table

    private CubeTower() {}

    /** Return the tower with no cube inside. */
    public static State empty() {
        return new State(0, Collections.emptyList());
    }

    /** Return a generator of words. {@code seed} is four words, {@code stream} a whole number from 0. */
    public static Words words(long[] seed, long stream) {
        return new Words(seed, stream);
    }

    /**
     * Throw cubes into the tower. Every word is drawn from {@code word}: a generator of {@link #words}, or anything
     * that gives whole numbers from 0 to 2^32 - 1.
     */
    public static Outcome drop(State state, List<Cube> thrown, LongSupplier word) {
        checkDrop(state, thrown);
        if (word == null) throw refused("word", null, "a LongSupplier of whole numbers from 0 to 2^32 - 1; " + ADVICE);
        return dropped(state, thrown, () -> whole("a word drawn", word.getAsLong(), 0, WORD - 1, ADVICE));
    }

    /**
     * Play the tower's part of a game of Amerigo: the set-up, then the phases of every round. It draws from
     * {@code words(seed, stream)}, and equals game number {@code stream} of Python's sample_games for these words.
     */
    public static Game game(Rules rules, long[] seed, long stream) {
        if (rules == null) throw refused("rules", null, "Rules, as AMERIGO");
        Words word = words(seed, stream);
        List<Cube> cubes = new ArrayList<>();
        for (String colour : rules.colours) {
            for (int i = rules.cubes.get(colour); i > 0; i--) cubes.add(new Cube(cubes.size(), colour));
        }
        List<String> order = new ArrayList<>(Collections.singletonList(null)); // the set-up throws all
        for (int round = 0; round < rules.rounds; round++) order.addAll(rules.phases);
        Game found = new Game(order.size());
        State state = empty();
        for (int i = 0; i < order.size(); i++) {
            String phase = order.get(i);
            Set<Long> there = state.cubes.stream().map(cube -> cube.id).collect(Collectors.toSet());
            List<Cube> thrown = cubes.stream()
                .filter(cube -> !there.contains(cube.id) && (phase == null || phase.equals(cube.colour)))
                .collect(Collectors.toList());
            List<Cube> emerged = Collections.emptyList();
            if (!thrown.isEmpty()) { // a skipped phase makes no cube older
                Outcome after = dropped(state, thrown, word);
                state = after.state;
                emerged = after.emerged;
            }
            found.thrown[i] = tally(rules.colours, thrown);
            found.emerged[i] = tally(rules.colours, emerged);
            found.inside[i] = tally(rules.colours, state.cubes);
        }
        return found;
    }

    private static int[] tally(List<String> colours, List<? extends Cube> cubes) {
        return colours.stream()
            .mapToInt(colour -> (int) cubes.stream().filter(cube -> colour.equals(cube.colour)).count())
            .toArray();
    }

    /** Do what drop does, with arguments that are as they should be. */
    private static Outcome dropped(State state, List<Cube> thrown, LongSupplier word) {
        List<Cube> cubes = new ArrayList<>(state.cubes);
        for (Cube cube : thrown) cubes.add(new Cube(cube.id, cube.colour)); // also of one that is a Resident
        cubes.sort(Comparator.comparingLong(cube -> cube.id));
        long[][] odds = thrown.isEmpty() ? null : drawOdds(state, thrown.size(), word);
        List<Resident> inside = new ArrayList<>();
        List<Cube> emerged = new ArrayList<>();
        List<Landing> landings = new ArrayList<>();
        for (Cube cube : cubes) {
            Resident lying = cube instanceof Resident ? (Resident) cube : null;
            int floor = odds == null ? lying.floor : endOf(lying, state.drops, odds, word);
            landings.add(new Landing(cube.id, cube.colour, floor));
            if (floor == OUT) {
                emerged.add(new Cube(cube.id, cube.colour));
            } else if (lying == null) {
                boolean crowd = thrown.size() >= CROWD_FROM;
                inside.add(new Resident(cube.id, cube.colour, floor, state.drops, crowd));
            } else {
                inside.add(new Resident(cube.id, cube.colour, floor, lying.since, lying.inCrowd));
            }
        }
        return new Outcome(new State(state.drops + 1, inside), emerged, landings);
    }

    /** Draw every floor's shared effect; return by floor the log-odds of those that arrive and of those that lie. */
    private static long[][] drawOdds(State state, int thrown, LongSupplier word) {
        long[][] odds = new long[FLOORS.length][];
        for (int i = 0; i < odds.length; i++) {
            Floor floor = FLOORS[i];
            int lying = 0;
            int fresh = 0;
            for (Resident cube : state.cubes) {
                if (cube.floor != i) continue;
                lying++;
                if (state.drops - cube.since <= FRESH_TO) fresh++;
            }
            int effect = floor.hasEffect ? (int) (word.getAsLong() >>> 28) : 0;
            long arriving = at(floor.arrivingThrown, thrown) + at(floor.arrivingLying, lying)
                + at(floor.arrivingFresh, fresh) + row(floor.arrivingEffect, lying)[effect];
            long staying = at(floor.lyingThrown, thrown) + at(floor.lyingLying, lying)
                + row(floor.lyingEffect, lying)[effect];
            odds[i] = new long[] {arriving, staying};
        }
        return odds;
    }

    /** Let a cube go down from where it lies, or from the top (null); return the floor on which it ends, or OUT. */
    private static int endOf(Resident lying, long drops, long[][] odds, LongSupplier word) {
        int next = 0;
        if (lying != null) {
            Floor floor = FLOORS[lying.floor];
            long own = at(lying.inCrowd ? floor.crowd : floor.age, drops - lying.since);
            if (word.getAsLong() >= threshold(odds[lying.floor][1] + own)) return lying.floor;
            next = lying.floor + 1;
        }
        for (int i = next; i < FLOORS.length; i++) {
            long own = lying == null ? 0 : FLOORS[i].pushed;
            if (word.getAsLong() >= threshold(odds[i][0] + own)) return i;
        }
        return OUT;
    }

    /** Return the chance of log-odds, times 2^32. */
    private static long threshold(long odds) {
        long entry = at(THRESHOLDS, Math.abs(odds));
        return odds >= 0 ? entry : WORD - entry;
    }

    /** Return an entry of a list; beyond the end the last one. */
    private static long at(long[] entries, long index) {
        return entries[(int) Math.min(index, entries.length - 1)];
    }

    private static long[] row(long[][] rows, int index) {
        return rows[Math.min(index, rows.length - 1)];
    }

    private static void checkDrop(State state, List<Cube> thrown) {
        if (state == null) throw refused("state", null, "a State, as of empty() or drop(...).state");
        if (thrown == null) throw refused("thrown", null, "a list of cubes");
        whole("state.drops", state.drops, 0, Long.MAX_VALUE - 1, "");
        long number = (long) state.cubes.size() + thrown.size();
        String allowed = "up to " + MOST_CUBES + " at a time; throw fewer";
        if (number > MOST_CUBES) throw refused("number of cubes", number, allowed);
        Set<Long> there = new HashSet<>();
        checkCubes("state.cubes", state.cubes, there);
        checkCubes("thrown", thrown, there);
        for (int i = 0; i < state.cubes.size(); i++) {
            Resident cube = state.cubes.get(i);
            String path = "state.cubes[" + i + "]";
            whole(path + ".floor", cube.floor, 0, FLOORS.length - 1, "");
            whole(path + ".since", cube.since, 0, Long.MAX_VALUE, "");
            if (cube.since >= state.drops) {
                throw refused(path + ".since", cube.since, "a whole number from 0, below " + state.drops);
            }
        }
    }

    private static void checkCubes(String name, List<? extends Cube> cubes, Set<Long> there) {
        for (int i = 0; i < cubes.size(); i++) {
            Cube cube = cubes.get(i);
            String path = name + "[" + i + "]";
            if (cube == null) throw refused(path, null, "a cube");
            if (cube.colour == null) throw refused(path + ".colour", null, "a word");
            if (!there.add(cube.id)) {
                throw refused(path + ".id", cube.id, "each number once; it is there or thrown already");
            }
        }
    }

    // What is plain data

    /** What is written as JSON, and is equal to what is written alike. */
    private abstract static class Plain {
        /** Return its fields by name. */
        abstract Map<String, Object> fields();

        /** Return it as JSON, with the keys that the samplers of other languages have. */
        @Override
        public final String toString() {
            return json(fields());
        }

        @Override
        public final boolean equals(Object other) {
            return other != null && other.getClass() == getClass() && other.toString().equals(toString());
        }

        @Override
        public final int hashCode() {
            return toString().hashCode();
        }
    }

    /** A cube: its number, each once, and its colour. */
    public static class Cube extends Plain {
        public final long id;
        public final String colour;

        public Cube(long id, String colour) {
            this.id = id;
            this.colour = colour;
        }

        @Override
        Map<String, Object> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("id", id);
            fields.put("colour", colour);
            return fields;
        }
    }

    /** A cube inside: its floor from the top, from 0; the number of the drop that threw it in; whether with a crowd. */
    public static final class Resident extends Cube {
        public final int floor;
        public final long since;
        public final boolean inCrowd;

        public Resident(long id, String colour, int floor, long since, boolean inCrowd) {
            super(id, colour);
            this.floor = floor;
            this.since = since;
            this.inCrowd = inCrowd;
        }

        @Override
        Map<String, Object> fields() {
            Map<String, Object> fields = super.fields();
            fields.put("floor", floor);
            fields.put("since", since);
            fields.put("inCrowd", inCrowd);
            return fields;
        }
    }

    /** Where a cube is after a drop: on a floor, numbered from the top, or out, in the tray, which is -1. */
    public static final class Landing extends Cube {
        public final int floor;
        public final String place;

        private Landing(long id, String colour, int floor) {
            super(id, colour);
            this.floor = floor;
            this.place = floor == OUT ? "tray" : "inside:" + REGIONS.get(floor);
        }

        @Override
        Map<String, Object> fields() {
            Map<String, Object> fields = super.fields();
            fields.put("floor", floor);
            fields.put("place", place);
            return fields;
        }
    }

    /** A tower: how many drops it had, and the cubes inside. */
    public static final class State extends Plain {
        public final long drops;
        public final List<Resident> cubes;

        public State(long drops, List<Resident> cubes) {
            if (cubes == null) throw refused("state.cubes", null, "a list of cubes inside");
            this.drops = drops;
            this.cubes = Collections.unmodifiableList(new ArrayList<>(cubes));
        }

        /** Read a state that toString wrote, or the sampler of another language as JSON. */
        public static State parse(String text) {
            Map<?, ?> state = Json.object("state", Json.read("state", text));
            List<Resident> cubes = new ArrayList<>();
            for (Object each : Json.list("state.cubes", state.get("cubes"))) {
                String path = "state.cubes[" + cubes.size() + "]";
                Map<?, ?> cube = Json.object(path, each);
                Object inCrowd = cube.get("inCrowd");
                if (!(inCrowd instanceof Boolean)) throw refused(path + ".inCrowd", inCrowd, "true or false");
                Object colour = cube.get("colour");
                if (!(colour instanceof String)) throw refused(path + ".colour", colour, "a word");
                long floor = Json.whole(path + ".floor", cube.get("floor"));
                whole(path + ".floor", floor, 0, FLOORS.length - 1, "");
                long since = Json.whole(path + ".since", cube.get("since"));
                long id = Json.whole(path + ".id", cube.get("id"));
                cubes.add(new Resident(id, (String) colour, (int) floor, since, (Boolean) inCrowd));
            }
            State read = new State(Json.whole("state.drops", state.get("drops")), cubes);
            checkDrop(read, Collections.emptyList());
            return read;
        }

        @Override
        Map<String, Object> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("drops", drops);
            fields.put("cubes", cubes);
            return fields;
        }
    }

    /** What came of a drop: the state after it, the cubes that came out, and where every cube is now, by number. */
    public static final class Outcome extends Plain {
        public final State state;
        public final List<Cube> emerged;
        public final List<Landing> landings;

        private Outcome(State state, List<Cube> emerged, List<Landing> landings) {
            this.state = state;
            this.emerged = Collections.unmodifiableList(emerged);
            this.landings = Collections.unmodifiableList(landings);
        }

        @Override
        Map<String, Object> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("state", state);
            fields.put("emerged", emerged);
            fields.put("landings", landings);
            return fields;
        }
    }

    /** A game: counts of cubes by drop and colour; drop 0 is the set-up, and inside is counted after the drop. */
    public static final class Game extends Plain {
        public final int[][] thrown;
        public final int[][] emerged;
        public final int[][] inside;

        private Game(int drops) {
            thrown = new int[drops][];
            emerged = new int[drops][];
            inside = new int[drops][];
        }

        @Override
        Map<String, Object> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("thrown", thrown);
            fields.put("emerged", emerged);
            fields.put("inside", inside);
            return fields;
        }
    }

    /** The rules of a game; an empty list of phases means the order of colours. */
    public static final class Rules {
        public final List<String> colours;
        public final Map<String, Integer> cubes;
        public final List<String> phases;
        public final int rounds;

        /** The same number of cubes of every colour. */
        public Rules(List<String> colours, int cubes, int rounds) {
            this(colours, each(colours, cubes), Collections.emptyList(), rounds);
        }

        public Rules(List<String> colours, Map<String, Integer> cubes, List<String> phases, int rounds) {
            if (colours == null || colours.isEmpty()) {
                throw refused("rules.colours", colours, "one or more different words");
            }
            if (cubes == null) throw refused("rules.cubes", null, "a map with a number for every colour");
            if (phases == null) throw refused("rules.phases", null, "a list of colours");
            for (int i = 0; i < colours.size(); i++) {
                String colour = colours.get(i);
                if (colour == null || colour.isEmpty() || colours.indexOf(colour) < i) {
                    throw refused("rules.colours[" + i + "]", colour, "a word that is not empty, each once");
                }
            }
            String among = "one of " + brief(String.join(", ", colours));
            for (int i = 0; i < phases.size(); i++) {
                if (!colours.contains(phases.get(i))) throw refused("rules.phases[" + i + "]", phases.get(i), among);
            }
            for (Map.Entry<String, Integer> entry : cubes.entrySet()) {
                String key = entry.getKey();
                String name = "rules.cubes." + brief(String.valueOf(key));
                if (!colours.contains(key)) throw refused(name, entry.getValue(), "a colour, " + among);
            }
            long all = 0;
            for (String colour : colours) {
                Integer count = cubes.get(colour);
                String name = "rules.cubes." + brief(colour);
                if (count == null) throw refused(name, null, "a whole number from 0 to " + MOST_CUBES);
                all += whole(name, count, 0, MOST_CUBES, "");
            }
            if (all > MOST_CUBES) throw refused("rules.cubes", all, "at most " + MOST_CUBES + " in all");
            this.colours = Collections.unmodifiableList(new ArrayList<>(colours));
            this.cubes = Collections.unmodifiableMap(new HashMap<>(cubes));
            this.phases = phases.isEmpty() ? this.colours : Collections.unmodifiableList(new ArrayList<>(phases));
            this.rounds = (int) whole("rules.rounds", rounds, 0, MOST_DROPS / this.phases.size(), "");
        }

        private static Map<String, Integer> each(List<String> colours, int cubes) {
            Map<String, Integer> counts = new HashMap<>();
            for (String colour : colours == null ? Collections.<String>emptyList() : colours) counts.put(colour, cubes);
            return counts;
        }
    }

    /** A generator of words, whole numbers from 0 to 2^32 - 1: xoshiro128**. */
    public static final class Words implements LongSupplier {
        private static final String KIND = "xoshiro128**";
        private static final int GOLDEN = 0x9E3779B9;
        private int a;
        private int b;
        private int c;
        private int d;

        private Words(long[] seed, long stream) {
            checkFour("seed", seed);
            int number = (int) whole("stream", stream, 0, Long.MAX_VALUE, "");
            a = mixed((int) seed[0] + mixed(number + GOLDEN));
            b = mixed((int) seed[1] + mixed(number + GOLDEN * 2));
            c = mixed((int) seed[2] + mixed(number + GOLDEN * 3));
            d = mixed((int) seed[3] + mixed(number + GOLDEN * 4)) | 1; // not all of them 0
        }

        private Words(long[] state) {
            checkFour("generator.state", state);
            a = (int) state[0];
            b = (int) state[1];
            c = (int) state[2];
            d = (int) state[3];
            if ((a | b | c | d) == 0) throw refused("generator.state", state, "four words that are not all 0");
        }

        /** Read a generator that toString wrote, or another language as JSON; it goes on where it stood. */
        public static Words parse(String text) {
            Map<?, ?> saved = Json.object("generator", Json.read("generator", text));
            if (!KIND.equals(saved.get("kind"))) {
                throw refused("generator.kind", saved.get("kind"), '"' + KIND + '"');
            }
            List<?> four = Json.list("generator.state", saved.get("state"));
            long[] state = new long[four.size()];
            for (int i = 0; i < state.length; i++) state[i] = Json.whole("generator.state[" + i + "]", four.get(i));
            return new Words(state);
        }

        /** Return where it stands, as JSON. */
        @Override
        public String toString() {
            return String.format("{\"kind\":\"%s\",\"state\":%s}", KIND, json(state()));
        }

        private long[] state() {
            return new long[] {a & WORD - 1, b & WORD - 1, c & WORD - 1, d & WORD - 1};
        }

        /** Return the next word. */
        @Override
        public long getAsLong() {
            int found = Integer.rotateLeft(b * 5, 7) * 9;
            int shifted = b << 9;
            c ^= a;
            d ^= b;
            b ^= c;
            a ^= d;
            c ^= shifted;
            d = Integer.rotateLeft(d, 11);
            return found & WORD - 1;
        }

        /** Return a word that depends on every bit of the word x: the finaliser of MurmurHash3. */
        private static int mixed(int x) {
            x = (x ^ x >>> 16) * 0x85EBCA6B;
            x = (x ^ x >>> 13) * 0xC2B2AE35;
            return x ^ x >>> 16;
        }

        private static void checkFour(String what, long[] four) {
            if (four == null || four.length != 4) throw refused(what, four, "four whole numbers from 0 to 2^32 - 1");
            for (int i = 0; i < 4; i++) whole(what + "[" + i + "]", four[i], 0, WORD - 1, "");
        }
    }

    /** One floor's summands of log-odds, in the order in which the table has them. */
    private static final class Floor {
        final long[] arrivingThrown;
        final long[] arrivingLying;
        final long[] arrivingFresh;
        final long[][] arrivingEffect;
        final long pushed;
        final long[] lyingThrown;
        final long[] lyingLying;
        final long[][] lyingEffect;
        final long[] age;
        final long[] crowd;
        final boolean hasEffect;

        Floor(long[] arrivingThrown, long[] arrivingLying, long[] arrivingFresh, long[][] arrivingEffect, long pushed,
                long[] lyingThrown, long[] lyingLying, long[][] lyingEffect, long[] age, long[] crowd) {
            this.arrivingThrown = arrivingThrown;
            this.arrivingLying = arrivingLying;
            this.arrivingFresh = arrivingFresh;
            this.arrivingEffect = arrivingEffect;
            this.pushed = pushed;
            this.lyingThrown = lyingThrown;
            this.lyingLying = lyingLying;
            this.lyingEffect = lyingEffect;
            this.age = age;
            this.crowd = crowd;
            hasEffect = hasOther(arrivingEffect) || hasOther(lyingEffect);
        }

        private static boolean hasOther(long[][] rows) {
            return Arrays.stream(rows).flatMapToLong(Arrays::stream).anyMatch(entry -> entry != 0);
        }
    }

    /** Return the numbers that lines of text have, with blanks between. */
    private static long[] numbers(String... lines) {
        return Arrays.stream(String.join(" ", lines).split(" ")).mapToLong(Long::parseLong).toArray();
    }

    // What is not allowed, and how it is told

    private static IllegalArgumentException refused(String what, Object value, String allowed) {
        return new IllegalArgumentException(what + " is " + brief(json(value)) + "; allowed is " + allowed);
    }

    private static long whole(String what, long value, long least, long most, String advice) {
        if (value >= least && value <= most) return value;
        String to = most >= Long.MAX_VALUE - 1 ? "" : most == WORD - 1 ? " to 2^32 - 1" : " to " + most;
        String allowed = "a whole number from " + least + to + (advice.isEmpty() ? "" : "; " + advice);
        throw refused(what, value, allowed);
    }

    /** Return a text, without its middle when it is long. */
    private static String brief(String text) {
        String line = text.replaceAll("\\p{Cntrl}", " ");
        return line.length() <= 80 ? line : line.substring(0, 50) + "..." + line.substring(line.length() - 20);
    }

    private static String json(Object value) {
        if (value instanceof String) return quoted((String) value);
        if (value instanceof long[]) return Arrays.toString((long[]) value).replace(" ", "");
        if (value instanceof int[]) return Arrays.toString((int[]) value).replace(" ", "");
        if (value instanceof int[][]) return json(Arrays.asList((int[][]) value));
        if (value instanceof Collection) {
            return ((Collection<?>) value).stream().map(CubeTower::json).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof Map) {
            return ((Map<?, ?>) value).entrySet().stream()
                .map(entry -> json(entry.getKey()) + ":" + json(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
        }
        return String.valueOf(value);
    }

    private static String quoted(String word) {
        StringBuilder text = new StringBuilder("\"");
        for (char letter : word.toCharArray()) {
            if (letter == '"' || letter == '\\') text.append('\\').append(letter);
            else if (letter < ' ') text.append(String.format("\\u%04x", (int) letter));
            else text.append(letter);
        }
        return text.append('"').toString();
    }

    /** A reader of the JSON that states and generators are saved as. */
    private static final class Json {
        private static final Pattern NUMBER = Pattern.compile("(-?[0-9]{1,18})(\\.0+)?");
        private static final Pattern ESCAPED = Pattern.compile("\\\\(u[0-9a-fA-F]{4}|.)");
        private static final int DEEPEST = 8;
        private final String what;
        private final String text;
        private int next;

        private Json(String what, String text) {
            this.what = what;
            this.text = text;
        }

        static Object read(String what, String text) {
            if (text == null) throw refused(what, null, "its JSON");
            Json reader = new Json(what, text);
            Object value = reader.value(0);
            reader.blanks();
            if (reader.next < text.length()) throw reader.wrong();
            return value;
        }

        static Map<?, ?> object(String what, Object value) {
            if (!(value instanceof Map)) throw refused(what, value, "an object with keys");
            return (Map<?, ?>) value;
        }

        static List<?> list(String what, Object value) {
            boolean nothing = value instanceof Map && ((Map<?, ?>) value).isEmpty(); // as Lua may write an empty list
            if (nothing) return Collections.emptyList();
            if (!(value instanceof List)) throw refused(what, value, "a list");
            return (List<?>) value;
        }

        static long whole(String what, Object value) {
            if (!(value instanceof Long)) throw refused(what, value, "a whole number");
            return (Long) value;
        }

        private Object value(int depth) {
            blanks();
            if (next == text.length() || depth > DEEPEST) throw wrong();
            char first = text.charAt(next);
            if (first == '"') return word();
            if (first == '[') {
                List<Object> list = new ArrayList<>();
                for (next++; !closed(']', list.isEmpty()); ) list.add(value(depth + 1));
                return list;
            }
            if (first == '{') {
                Map<String, Object> object = new TreeMap<>();
                for (next++; !closed('}', object.isEmpty()); ) {
                    blanks();
                    String key = word();
                    blanks();
                    if (!taken(":")) throw wrong();
                    object.put(key, value(depth + 1));
                }
                return object;
            }
            if (taken("true")) return true;
            if (taken("false")) return false;
            if (taken("null")) return null;
            Matcher number = NUMBER.matcher(text).region(next, text.length());
            if (!number.lookingAt()) throw wrong();
            next = number.end();
            return Long.parseLong(number.group(1));
        }

        /** Say whether a list or object ends here; if not, pass the comma before its next entry. */
        private boolean closed(char end, boolean isFirst) {
            blanks();
            if (taken(String.valueOf(end))) return true;
            if (!isFirst && !taken(",")) throw wrong();
            return false;
        }

        private String word() {
            int end = next + 1;
            while (end < text.length() && text.charAt(end) != '"') end += text.charAt(end) == '\\' ? 2 : 1;
            if (end >= text.length() || text.charAt(next) != '"') throw wrong();
            String inner = text.substring(next + 1, end);
            next = end + 1;
            Matcher escaped = ESCAPED.matcher(inner);
            StringBuilder plain = new StringBuilder();
            int done = 0;
            while (escaped.find()) {
                String code = escaped.group(1);
                int known = "bfnrt".indexOf(code.charAt(0));
                plain.append(inner, done, escaped.start());
                if (code.length() > 1) plain.append((char) Integer.parseInt(code.substring(1), 16));
                else plain.append(known < 0 ? code.charAt(0) : "\b\f\n\r\t".charAt(known));
                done = escaped.end();
            }
            return plain.append(inner.substring(done)).toString();
        }

        private boolean taken(String token) {
            if (!text.startsWith(token, next)) return false;
            next += token.length();
            return true;
        }

        private void blanks() {
            while (next < text.length() && " \t\r\n".indexOf(text.charAt(next)) >= 0) next++;
        }

        private IllegalArgumentException wrong() {
            String where = "; it cannot be read from character " + (next + 1) + " on";
            return refused(what + " as JSON", text, "what toString() of it gives" + where);
        }
    }
}
