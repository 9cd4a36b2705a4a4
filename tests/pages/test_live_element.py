"""<cube-tower> in a real browser: attributes, methods, events; and two browsers at one server's table."""

from __future__ import annotations

import json
import runpy
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.browser import NO_WASM, PAGES, Watched, browsing

from tower_sim import PhysicsModel, load
from tower_sim.requests import Throw, outcome
from tower_sim.values import TowerState

pytestmark = PAGES
EXAMPLE = Path(__file__).parents[2] / "docs/clients/two_browsers/server.py"


@pytest.fixture
def url() -> Iterator[str]:
    """A table of two browsers, with nothing on it."""
    server = runpy.run_path(str(EXAMPLE))["serve"]()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Watched]:
    with browsing(webgl=True) as watched:
        yield watched


@contextmanager
def open_page(browser: Watched, url: str, *, script: str = "", text: str = "", **more: Any) -> Iterator[Any]:
    """Give a page of the server, or with this text instead; nothing may go wrong there."""
    with browser.another(500, 500, script, **{"offline": False, "reduced_motion": "reduce", **more}) as watched:
        if text:
            watched.page.route("**/", lambda route: route.fulfill(content_type="text/html", body=text))
        watched.page.goto(url)
        watched.page.wait_for_function("() => customElements.get('cube-tower')")
        yield watched.page
        assert watched.wrong == []


def test_two_browsers_show_what_the_server_draws_and_say_where_it_differs(browser: Watched, url: str):
    with open_page(browser, url) as one, open_page(browser, url) as other:
        for page in (one, other):
            page.wait_for_function("() => document.querySelector('cube-tower').token")
        for number, thrower in (("1", one), ("2", other)):
            thrower.click("#throw")
            for page in (one, other):
                page.wait_for_function("n => document.getElementById('said').dataset.number === n", arg=number)
        table = json.loads(one.evaluate("async () => await (await fetch('/table')).text()"))
        for page in (one, other):
            assert page.get_attribute("#said", "data-state") == table["document"]["state"]
            assert page.get_attribute("#said", "data-same") == "true"
        forged = {**table, "number": 4, "document": {"state": table["before"]}}  # a server that says otherwise
        one.route("**/table?after=*", lambda route: route.fulfill(json=forged), times=1)
        other.click("#throw")  # so that the page, which waits, asks again
        one.wait_for_function("() => document.getElementById('said').dataset.number === '4'")
        assert one.get_attribute("#said", "data-same") == "false"
        assert "elsewhere here than the server says" in one.inner_text("#said")


def test_its_methods_events_and_properties(browser: Watched, url: str):
    with open_page(browser, url) as page:
        found = page.evaluate(
            """async () => {
              const tower = document.createElement("cube-tower");
              const heard = [];
              for (const name of ["throw", "out", "rest", "trouble"])
                tower.addEventListener(name, ({ detail }) => heard.push([name, detail]));
              document.body.append(tower);
              tower.profile = "amerigo";
              await tower.throw({ blue: 4, red: 2 }, 7);
              await tower.finish();
              const first = tower.token;
              await tower.knock(2, "5");
              await tower.finish();
              const undone = await tower.undo();
              await tower.throw("blue", 1).catch(() => {});
              tower.profile = "nowhere";
              await new Promise((done) => tower.addEventListener("trouble", done, { once: true }));
              tower.cubes = { blue: 3 };
              return { heard, first, undone, kept: tower.token, cubes: tower.getAttribute("cubes") };
            }"""
        )
    with PhysicsModel(load("amerigo")) as model:
        landed = outcome(Throw.of(seed=7, cubes={"blue": 4, "red": 2}), model)
    heard = found["heard"]
    assert found["first"] == found["undone"] == found["kept"] == landed.state.token()
    assert heard[0] == ["throw", {"kind": "drop", "seed": "7", "cubes": {"blue": 4, "red": 2}}]
    (rest,) = [detail for name, detail in heard if name == "rest"][:1]
    assert rest["emerged"] == [cube.id for cube in landed.emerged]
    assert (
        sorted(detail["id"] for name, detail in heard[: heard.index(["rest", rest])] if name == "out")
        == rest["emerged"]
    )
    assert [detail["message"] for name, detail in heard if name == "trouble"][-1].startswith('The profile "nowhere"')
    assert found["cubes"] == "blue:3"


PAGE = """<!doctype html><script type="module" src="/element.js"></script>
<style>cube-tower { width: 90px; min-height: 90px; display: inline-block }</style><main></main><aside></aside>"""


def test_an_element_that_is_moved_or_taken_out_keeps_its_past_and_what_was_asked_of_it(browser: Watched, url: str):
    with open_page(browser, url, text=PAGE, reduced_motion="no-preference") as page:
        found = page.evaluate(
            """async () => {
              const [main, aside] = [document.querySelector("main"), document.querySelector("aside")];
              const tower = document.createElement("cube-tower");
              Object.assign(tower, { seed: "7", cubes: { blue: 7, red: 7 } });
              const heard = [];
              for (const name of ["throw", "rest", "trouble"]) tower.addEventListener(name, () => heard.push(name));
              const until = (name) => new Promise((done) => tower.addEventListener(name, done, { once: true }));
              const later = () => new Promise((done) => setTimeout(done, 300));
              const tokens = {};
              const refused = await tower.throw({ blue: 1 }).catch((error) => error.message);
              main.append(tower);
              await until("throw");
              aside.append(tower);  // while it is computed
              await until("rest");
              tokens.first = tower.token;
              main.append(tower);
              await later();
              tokens.moved = tower.token;
              await tower.knock(4, "5");
              tower.remove();  // and stays out: it ends unseen
              await until("rest");
              await later();
              tokens.knocked = tower.token;
              aside.append(tower);
              tokens.undone = await tower.undo();
              tower.addEventListener("rest", () => tower.remove(), { once: true });  // in an event
              await tower.throw({ blue: 4 }, 9);
              await tower.finish();
              tokens.thrown = tower.token;
              main.append(tower);
              await tower.throw({ red: 2 }, 3);
              const frame = document.createElement("iframe");
              aside.append(frame);
              frame.contentDocument.body.append(tower);  // another document
              await tower.finish();
              tokens.adopted = tower.token;
              const { position } = frame.contentWindow.getComputedStyle(tower.shadowRoot.querySelector("canvas"));
              main.append(tower);
              tokens.back = await tower.undo();
              tower.state = tokens.first;
              tower.removeAttribute("seed");
              await later();
              tokens.set = (await tower.finish(), tower.token);
              return { heard, tokens, refused, position };
            }"""
        )
    tokens, heard = found["tokens"], found["heard"]
    logs = {name: [event.kind for event in TowerState.from_token(token).log] for name, token in tokens.items()}
    assert logs == {
        "first": ["drop"],
        "moved": ["drop"],
        "knocked": ["drop", "knock"],
        "undone": ["drop"],
        "thrown": ["drop", "drop"],
        "adopted": ["drop", "drop", "drop"],
        "back": ["drop", "drop"],
        "set": ["drop"],
    }
    assert tokens["first"] == tokens["moved"] == tokens["undone"] == tokens["set"]
    assert tokens["thrown"] == tokens["back"]
    assert found["position"] == "absolute"
    assert found["refused"] == "This tower is in no page; append it to a document, then throw, knock or undo."
    assert heard == ["trouble", *["throw", "rest"] * 4]


def test_cubes_as_text_or_as_an_object_are_read_alike(browser: Watched, url: str):
    with open_page(browser, url, text=PAGE) as page:
        found = page.evaluate(
            """async () => {
              const tower = document.querySelector("main").appendChild(document.createElement("cube-tower"));
              const late = document.createElement("template").content.ownerDocument.createElement("cube-tower");
              Object.assign(late, { cubes: { red: 2 }, profile: "amerigo" });  // before it is upgraded
              document.querySelector("main").append(late);
              const wrong = [{ blue: -1 }, "blue:-1", { blue: NaN }, { blue: 1.5 }, "blue:1.5", [3], "3", {}, "", null,
                { blue: 0 }, "blue:0", { blue: 501 }, "blue:501", { blue: 300, red: 201 }, { "": 3 }, { blue: "x" }, 4];
              const answers = [];
              const answerTo = (cubes) => tower.throw(cubes, 7).then(() => "taken", (error) => error.message);
              for (const cubes of wrong) answers.push(await answerTo(cubes));
              for (const cubes of ["dark blue:4, red:2", { "dark blue": 4, red: 2 }]) {
                tower.cubes = cubes;
                await tower.throw(tower.cubes, 7);
                await tower.finish();
                answers.push(tower.token);
                await tower.undo();
              }
              await tower.knock(1, "x").catch((error) => answers.push(error.message));
              await tower.knock(1, 2 ** 60).catch((error) => answers.push(error.message));
              late.seed = 2 ** 60;
              answers.push(late.seed, late.getAttribute("cubes"));
              return answers;
            }"""
        )
    *refused, text, plain, knock, rounded, seed, early = found
    assert [line for line in refused if not line.startswith("Cubes ") or "1 to 500 cubes in all" not in line] == []
    assert text == plain
    assert Counter(cube.colour for cube in TowerState.from_token(text).log[0].thrown) == {"dark blue": 4, "red": 2}
    allowed = "is none; allowed is a whole number from 0 to 2^128 - 1"
    assert knock == f'The seed "x" {allowed}.'
    assert rounded == f'The seed "1152921504606847000" {allowed}, above 2^53 - 1 as text.'
    assert "e+" in seed  # which is no seed
    assert early == "red:2"


def test_twenty_elements_on_one_page_are_all_drawn(browser: Watched, url: str):
    with open_page(browser, url, text=PAGE) as page:
        colours = page.evaluate(
            """async () => {
              const towers = Array.from({ length: 20 }, () => document.createElement("cube-tower"));
              document.querySelector("main").append(...towers);
              await Promise.all(towers.map((tower, i) => tower.throw({ blue: 1 }, i)));
              await Promise.all(towers.map((tower) => tower.finish()));
              await new Promise((done) => setTimeout(done, 3000));
              return towers.map((tower) => {
                const canvas = tower.shadowRoot.querySelector("canvas");
                const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
                return new Set(new Uint32Array(data.buffer)).size;
              });
            }"""
        )
    assert len(colours) == 20
    assert min(colours) > 100


def test_at_rest_it_is_drawn_as_finely_as_can_be(browser: Watched, url: str):
    with open_page(browser, url) as page:
        page.wait_for_function("() => document.querySelector('cube-tower').token")
        levels = page.evaluate(
            """async () => {
              const tower = document.querySelector("cube-tower");
              const { stage } = tower;
              const levels = [];
              const draw = stage.draw.bind(stage);
              stage.draw = (level) => {
                levels.push(level);
                draw(level);
              };
              stage.level = 3;
              const until = async (is) => {
                for (let i = 0; i < 300 && !is(); i++) await new Promise((done) => setTimeout(done, 100));
              };
              await tower.throw({ blue: 4 }, 7);
              await until(() => levels.includes(3));
              await tower.finish();
              await until(() => levels.at(-1) === 0);
              return levels;
            }"""
        )
    assert 3 in levels
    assert levels[-1] == 0


def test_where_the_physics_cannot_run_what_stands_inside_is_shown(browser: Watched, url: str):
    with open_page(browser, url, text=PAGE, script=NO_WASM) as page:
        message = page.evaluate(
            """() => new Promise((done) => {
              const tower = document.createElement("cube-tower");
              tower.innerHTML = '<b id="instead">a picture</b>';
              tower.addEventListener("trouble", (event) => done(event.detail.message));
              document.body.append(tower);
            })"""
        )
        assert message.endswith("which the physics needs; a substitute is shown.")
        assert page.is_visible("#instead")
