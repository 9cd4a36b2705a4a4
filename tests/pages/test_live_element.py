"""<cube-tower> in a real browser: attributes, methods, events; and two browsers at one server's table."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.browser import _SOFTWARE, BROWSER, PAGES

from tower_sim import PhysicsModel, load
from tower_sim.requests import DropRequest, outcome

pytestmark = PAGES
EXAMPLE = Path(__file__).parents[2] / "docs/clients/two_browsers/server.py"


def example() -> Any:
    spec = importlib.util.spec_from_file_location("two_browsers", EXAMPLE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def serving() -> Iterator[tuple[str, Any]]:
    server = example().serve()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=BROWSER, args=_SOFTWARE)
        yield browser
        browser.close()


def page_of(browser: Any, url: str, wrong: list[str]) -> Any:
    page = browser.new_context(viewport={"width": 500, "height": 500}, reduced_motion="reduce").new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(url)
    page.wait_for_function("() => document.querySelector('cube-tower').token")
    return page


def test_two_browsers_show_what_the_server_draws_and_say_where_it_differs(browser: Any):
    wrong: list[str] = []
    with serving() as (url, _):
        pages = [page_of(browser, url, wrong) for _ in range(2)]
        for number, thrower in ((1, 0), (2, 1)):
            pages[thrower].click("#throw")
            for page in pages:
                page.wait_for_function("n => document.getElementById('said').dataset.number === n", arg=str(number))
        states = [page.get_attribute("#said", "data-state") for page in pages]
        table = json.loads(pages[0].evaluate("async () => await (await fetch('/table')).text()"))
        assert states == [table["document"]["state"]] * 2
        assert [page.get_attribute("#said", "data-same") for page in pages] == ["true", "true"]
        forged = {**table, "number": 4, "document": {"state": table["before"]}}  # a server that says otherwise
        pages[0].route("**/table?after=*", lambda route: route.fulfill(json=forged), times=1)
        pages[1].click("#throw")  # so that the page, which waits, asks again
        pages[0].wait_for_function("() => document.getElementById('said').dataset.number === '4'")
        assert pages[0].get_attribute("#said", "data-same") == "false"
        assert "elsewhere here than the server says" in pages[0].inner_text("#said")
    assert wrong == []


def test_its_methods_events_and_properties(browser: Any):
    wrong: list[str] = []
    with serving() as (url, _):
        page = page_of(browser, url, wrong)
        found = page.evaluate(
            """async () => {
              const tower = document.createElement("cube-tower");
              const told = [];
              for (const name of ["throw", "out", "rest", "trouble"])
                tower.addEventListener(name, ({ detail }) => told.push([name, detail]));
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
              return { told, first, undone, kept: tower.token, cubes: tower.getAttribute("cubes") };
            }"""
        )
    with PhysicsModel(load("amerigo")) as model:
        landed = outcome(DropRequest("amerigo", "physics", 7, {"blue": 4, "red": 2}), model)
    told = found["told"]
    assert found["first"] == found["undone"] == found["kept"] == landed.state.token()
    assert told[0] == ["throw", {"kind": "drop", "seed": "7", "cubes": {"blue": 4, "red": 2}}]
    (rest,) = [detail for name, detail in told if name == "rest"][:1]
    assert rest["emerged"] == [cube.id for cube in landed.emerged]
    assert (
        sorted(detail["id"] for name, detail in told[: told.index(["rest", rest])] if name == "out") == rest["emerged"]
    )
    assert [detail["message"] for name, detail in told if name == "trouble"][-1].startswith('The profile "nowhere"')
    assert found["cubes"] == "blue:3"
    assert wrong == []


def test_at_rest_it_is_drawn_as_finely_as_can_be(browser: Any):
    with serving() as (url, _):
        page = page_of(browser, url, [])
        levels = page.evaluate(
            """async () => {
              const tower = document.querySelector("cube-tower");
              const { stage } = tower;
              const levels = [];
              const draw = stage.draw.bind(stage);
              stage.draw = (scene, level) => {
                levels.push(level);
                draw(scene, level);
              };
              stage.level = 3;
              await tower.throw({ blue: 4 }, 7);
              await tower.finish();
              await new Promise((done) => setTimeout(done, 1500));
              return levels;
            }"""
        )
    assert levels[0] == 3
    assert levels[-1] == 0


def test_where_the_physics_cannot_run_what_stands_inside_is_shown(browser: Any):
    with serving() as (url, _):
        page = browser.new_page()
        page.add_init_script("delete window.WebAssembly")
        page.goto(url)
        page.evaluate(
            """async () => {
              const tower = document.createElement("cube-tower");
              tower.innerHTML = '<b id="instead">a picture</b>';
              const said = new Promise((done) => {
                tower.addEventListener("trouble", (event) => done(event.detail.message));
              });
              document.body.append(tower);
              window.said = await said;
            }"""
        )
        assert page.evaluate("window.said").endswith("which the physics needs; a substitute is shown.")
        assert page.is_visible("#instead")
        page.close()
