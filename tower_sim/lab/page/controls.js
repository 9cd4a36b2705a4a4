// Controls: sliders with their numbers, choices, a list that is put in order by keys, mouse and touch.

let controlNumber = 0;

/** A slider with its label and number: { box, input, show(value, words) }; `changed(value)` while it moves. */
function slider(label, { least, most, value, changed, mark = null }) {
  const id = `control-${++controlNumber}`;
  const output = make("output", { for: id, text: String(value) });
  const input = make("input", {
    id, type: "range", min: least, max: most, step: 1, value,
    oninput: () => {
      output.textContent = input.value;
      changed(Number(input.value));
    },
  });
  const box = make("div", { class: "field slider" }, make("label", { for: id }, ...(mark ? [mark] : []), label), input, output);
  const show = (now, words_ = String(now)) => {
    input.value = now;
    output.textContent = words_;
  };
  return { box, input, show };
}

/** A choice of [value, words] with its label: { box, select }. */
function choice(label, options, value, changed) {
  const id = `control-${++controlNumber}`;
  const select = make(
    "select", { id, onchange: () => changed(select.value) },
    ...options.map(([key, words_]) => make("option", { value: key, text: words_, selected: key === value })),
  );
  return { box: make("div", { class: "field" }, make("label", { for: id, text: label }), select), select };
}

/** A field for words with its label: { box, input }; `changed(words)` while somebody writes. */
function written(label, value, changed, more = {}) {
  const id = `control-${++controlNumber}`;
  const input = make("input", { id, type: "text", value, oninput: () => changed(input.value), ...more });
  return { box: make("div", { class: "field" }, make("label", { for: id, text: label }), input), input };
}

/** A list of `items` ({ words, mark }) that is put in order: `changed(order)` with the numbers of the items. */
function orderList(label, items, changed) {
  let order = items.map((_, i) => i);
  const list = make("ol", { class: "order", "aria-label": label });
  const rows = items.map((item, i) => row(item, i));
  const told = make("p", { class: "hidden", role: "status" });
  show();
  return make("div", {}, list, told);

  function row(item, i) {
    const step = (by, words_, sign) => make("button", {
      type: "button", class: "icon", "aria-label": `Move ${item.words} ${words_}`, text: sign,
      onclick: (event) => {
        move(i, order.indexOf(i) + by);
        event.currentTarget.focus();
      },
    });
    const grip = make("span", { class: "grip", "aria-hidden": "true", text: "⠿" });
    const line = make("li", {}, grip, make("span", { class: "spread" }, item.mark, item.words), step(-1, "earlier", "↑"), step(1, "later", "↓"));
    grip.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      line.classList.add("held");
    });
    grip.addEventListener("pointermove", (event) => {
      if (!grip.hasPointerCapture(event.pointerId)) return;
      const others = order.filter((other) => other !== i);
      const before = others.filter((other) => middle(rows[other]) < event.clientY).length;
      if (before !== order.indexOf(i)) move(i, before);
    });
    grip.addEventListener("lostpointercapture", () => line.classList.remove("held"));
    return line;
  }

  function middle(line) {
    const box = line.getBoundingClientRect();
    return box.top + box.height / 2;
  }

  function move(i, to) {
    if (to < 0 || to >= order.length) return;
    order = order.filter((other) => other !== i);
    order.splice(to, 0, i);
    show();
    told.textContent = `${items[i].words} is number ${to + 1} of ${order.length}`;
    changed(order);
  }

  function show() {
    order.forEach((i, place) => {
      if (list.children[place] !== rows[i]) list.insertBefore(rows[i], list.children[place] ?? null);
    });
    rows.forEach((line, i) => {
      const [up, down] = line.querySelectorAll("button");
      up.disabled = order[0] === i;
      down.disabled = order[order.length - 1] === i;
    });
  }
}

/**
 * Put new controls into a box in the place of the old ones: what had the focus and what was open is so again, found by its
 * words.
 */
function refill(box, ...controls) {
  const called = (each) => each.getAttribute("aria-label") ?? each.labels?.[0]?.textContent ?? each.textContent;
  const reached = () => [...box.querySelectorAll("input, select, button, summary")].map((each) => [each, called(each)]);
  const old = reached();
  const [held, name] = old.find(([each]) => each === document.activeElement) ?? [];
  const place = old.filter(([, other]) => other === name).findIndex(([each]) => each === held);
  const open = old.filter(([each]) => each.parentElement.open).map(([, other]) => other);
  box.replaceChildren(...controls);
  const now = reached();
  for (const [each, words_] of now) if (each.matches("summary") && open.includes(words_)) each.parentElement.open = true;
  if (held) now.filter(([, other]) => other === name)[place]?.[0].focus();
}

/** A button. */
function button(words_, pressed) {
  return make("button", { type: "button", text: words_, onclick: pressed });
}
