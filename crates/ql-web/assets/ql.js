// What the dashboard does beyond forms and links: copying, relative times and the keyboard.
// Every page works without this file.
"use strict";

(() => {
  const root = document.documentElement;
  root.classList.add("js");

  const say = (text) => {
    const live = document.getElementById("say");
    if (live) live.textContent = text;
  };

  // Copying: any button that names its text in data-copy, or an element's id in data-copy-from.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-copy-from]");
    if (!button) return;
    const from = button.dataset.copyFrom && document.getElementById(button.dataset.copyFrom);
    const text = from ? from.textContent : button.dataset.copy;
    navigator.clipboard.writeText(text).then(
      () => {
        button.classList.add("is-copied");
        say("Copied");
        setTimeout(() => button.classList.remove("is-copied"), 1500);
      },
      () => say("Copying was refused; select the text instead"),
    );
  });

  // Relative times, in the words of the server (part/when.rs).
  const units = [[60, "s", 1], [3600, "min", 60], [86400, "h", 3600], [30 * 86400, "d", 86400]];
  const relative = (seconds) => {
    const ahead = seconds < 0;
    const span = Math.abs(seconds);
    if (span < 5) return "now";
    const unit = units.find(([limit]) => span < limit);
    if (!unit) return null;
    const text = `${Math.floor(span / unit[2])} ${unit[1]}`;
    return ahead ? `in ${text}` : `${text} ago`;
  };
  const refreshTimes = () => {
    for (const time of document.querySelectorAll("time[data-relative]")) {
      const text = relative((Date.now() - Date.parse(time.dateTime)) / 1000);
      if (text && time.textContent !== text) time.textContent = text;
    }
  };
  setInterval(refreshTimes, 15000);

  // On a phone the navigation is a strip; the open part of it is brought into sight.
  document.querySelector(".nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

  // What changes while one looks: the part of a page that names its events in data-live is asked for
  // again with each, unless somebody is writing in it.
  const watched = document.querySelector("[data-live]");
  if (watched && window.EventSource) {
    const events = new EventSource(watched.dataset.live);
    events.addEventListener("changed", () => {
      const here = document.querySelector("[data-live]");
      if (!here) return;
      if (here.querySelector("textarea:focus, details[open] textarea")) {
        say("Something changed; it shows when you are done writing");
        return;
      }
      window.htmx?.trigger(here, "live");
    });
    addEventListener("pagehide", () => events.close());
  }

  // A notice's address is shown once and not kept in the history.
  if (location.search.includes("notice=")) {
    const address = new URL(location.href);
    address.searchParams.delete("notice");
    history.replaceState(history.state, "", address);
  }

  // The keyboard. No key carries out a decision: `a` and `x` lead to the button that does.
  const rows = () => [...document.querySelectorAll("[data-row]")];
  const here = () => document.querySelector("[data-row].is-here");
  const move = (step) => {
    const all = rows();
    if (!all.length) return;
    const at = all.indexOf(here());
    const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
    all.forEach((row) => row.classList.toggle("is-here", row === next));
    const link = next.querySelector("[data-open]");
    if (link) link.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };
  const open = (anchor) => {
    const link = here()?.querySelector("[data-open]");
    if (link) location.assign(link.href + anchor);
  };
  const reach = (key) => {
    const target = document.querySelector(`[data-key="${key}"]`);
    if (!target) return false;
    if (target instanceof HTMLDetailsElement) {
      target.open = true;
      target.querySelector("textarea, input:not([type=hidden]), button")?.focus();
    } else {
      target.focus();
    }
    target.scrollIntoView({ block: "nearest" });
    return true;
  };
  const toggle = () => here()?.querySelector("input[type=checkbox]")?.click();
  const help = () => {
    const dialog = document.getElementById("keys");
    if (dialog) dialog.open ? dialog.close() : dialog.showModal();
  };
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    o: () => open(""),
    a: () => reach("a") || open("#decide"),
    x: () => reach("x") || toggle(),
    "/": () => document.querySelector("input[type=search]")?.focus(),
    "?": help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const act = keys[event.key];
    if (!act || (document.querySelector("dialog[open]") && event.key !== "?")) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-help]")) help();
  });

  // An address that ends in #decide lands on the decision, ready for Enter, once the browser has
  // gone to the fragment itself.
  if (location.hash === "#decide") addEventListener("load", () => setTimeout(() => reach("a")));
})();
