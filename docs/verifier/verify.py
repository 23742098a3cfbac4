"""Checks a bundle of a QueryLayer ledger offline: verify.py FILE [KEY [CHECKPOINT-FILE]]. Described in ../ledger.md."""
import base64, bisect, functools, hashlib, itertools, json, re, sys
HEADER = "checkpoint format key leaves nodes since successions", "sssllsl"  # members, and how their types' names begin
ENTRY = "actor at bytes detail entry event organization prev seq site subject v", "dsidssssi[sN]si"
RUN, STEPS = re.compile(r"run\.begun( (?!run\.)\S+)*( run\.finished)?"), re.compile(
    r"created( approval)*( (rejected|changes_requested|withdrawn|expired|superseded|stale)|"
    r" approved( draft\.created)*( (executed|stale|execution_failed|cancelled))?)?")
P, L, D = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493, -121665 * pow(121666, -1, 2**255 - 19)
def add(p, q):  # Ed25519 (RFC 8032), from here to `signed`
    a, b, c = p[0] * q[1], p[1] * q[0], D * p[0] * p[1] * q[0] * q[1]
    return (a + b) * pow(1 + c, -1, P) % P, (p[1] * q[1] + p[0] * q[0]) * pow(1 - c, -1, P) % P
def mul(n, p): return functools.reduce(lambda q, bit: add(add(q, q), p if bit == "1" else (0, 1)), f"{n:b}", (0, 1))
def point(raw):
    sign, y = divmod(int.from_bytes(raw, "little"), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    need(y < P and x * x % P == square and (x or not sign), "a key or a signature is no point of the curve")
    return (x if x % 2 == sign else P - x), y
def signed(key, text, signature):
    a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    return s < L and mul(8, a) != (0, 1) != mul(8, r) and mul(s, point(b"\x58" + b"\x66" * 31)) == add(r, mul(h, a))
def need(true, why):
    if not true: raise ValueError(why)
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def unhex(text): return need(re.fullmatch("[0-9a-f]{64}", text), "a digest isn't one") or bytes.fromhex(text)
def dump(value): return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
def plain(line):  # canonical JSON of whole numbers: whatever is written otherwise isn't written the same way again
    value = json.loads(line, parse_int=lambda n: int(n if len(n) < 16 else ""), parse_float=int, parse_constant=int)
    return need(dump(value) == line, "a line isn't in canonical form") or value
def shaped(value, names, kinds):  # exactly these members, of these types
    return " ".join(value) == names and re.fullmatch(kinds, "".join(type(v).__name__[0] for v in value.values()))
def note(keys, origin, text):  # a signed note of C2SP: its text, and the sizes that its key signed from and up to
    body, raw = re.fullmatch(f"(.*\n)\n— {re.escape(origin)} (\\S+)\n", text, re.S).groups()
    data = base64.b64decode(raw, validate=True)
    by = [key for key in keys if sha(origin.encode(), b"\n\1", key[0])[:4] == data[:4]]
    need(base64.b64encode(data).decode() == raw and len(data) == 68 and by, "no signature by a key of this ledger")
    return need(signed(by[0][0], body.encode(), data[4:]), "a false signature") or (body, *by[0][1:])
def checkpoint(keys, origin, text):  # the size and the root that it says
    body, low, high = note(keys, origin, text)
    says = re.fullmatch(f"{re.escape(origin)}\n(0|[1-9][0-9]*)\n([0-9A-Za-z+/]{{42}}[048AEIMQUYcgkosw]=)\n", body)
    return need(says and low <= int(says[1]) <= high, "no checkpoint") or (int(says[1]), base64.b64decode(says[2]))
def roots(leaves, lo, hi, old, nodes):  # over a part of the tree (RFC 6962), now and while it had `old` leaves
    if not leaves and not lo < old < hi or hi - lo == 1:
        now = leaves[0][1] if leaves else unhex(next(nodes))
        return now, now if hi <= old else b""
    middle = lo + (1 << (hi - lo - 1).bit_length() - 1)
    cut = bisect.bisect_left(leaves, (middle,))
    (a, b), (c, d) = roots(leaves[:cut], lo, middle, old, nodes), roots(leaves[cut:], middle, hi, old, nodes)
    return sha(b"\1", a, c), sha(b"\1", b, d) if d else b
def proposal(entries, of):  # its state and who approved it
    events, made = [e["event"] for e in entries], entries[0]["detail"]
    steps = " ".join(e.replace("proposal.", "", 1) for e in events if re.match(r"proposal\.|draft\.created$", e))
    need(events[0] == "proposal.created" and STEPS.fullmatch(steps) and of in (None, made.get("run")), "no proposal")
    decided = [e for e in entries if re.match(r"proposal\.(approv|rejected|changes_requested)", e["event"])]
    need(all(e["actor"]["type"] == "member" for e in decided), "only a member decides")
    seen = [(e["detail"]["digest"], e["detail"].get("policy_digest")) for e in decided if "approv" in e["event"]]
    need(all(unhex(digest) == unhex(made["digest"]) or policy not in (None, made.get("policy_digest"))
             for digest, policy in seen), "another digest was approved")
    state = re.sub(r" approval| draft\.created", "", steps).split()[-1].replace("created", "pending")
    return state + "".join("+" + e["actor"]["member"] for e in decided if "approv" in e["event"])
def verify(data, key=None, held=None):
    head, *texts = data.decode().split("\n")
    need(shaped(head := plain(head), *HEADER) and head["format"] == "querylayer.bundle/1", "no bundle of this version")
    places, keys = head["leaves"], [(unhex(head["key"]), 0, 2**63)]
    need(texts.pop() == "" and len(texts) == len(places), "other lines than announced")
    origin = "querylayer.ledger/" + sha(keys[0][0]).hex()[:32]
    for number, text in enumerate(head["successions"], 2):
        body, low, _ = note(keys[-1:], origin, text)
        says = re.fullmatch(f"{re.escape(origin)}/keys\n{number}\n([0-9a-f]{{64}})\n(0|[1-9][0-9]*)\n", body)
        need(says and int(says[2]) >= low, "no succession of keys")
        keys[-1:] = [(keys[-1][0], low, int(says[2])), (unhex(says[1]), int(says[2]), 2**63)]
    need(not key or base64.b64decode(key.split("+", 2)[2])[1:] in [k for k, _, _ in keys], "not by the key you hold")
    size, root = checkpoint(keys[-1:], origin, head["checkpoint"])
    old, was = checkpoint(keys, origin, head["since"]) if head["since"] else (size, root)
    need(not held or checkpoint(keys, origin, held) in ((old, was), (size, root)), "nothing leads to what you hold")
    entries, hashes, nodes = [plain(t) for t in texts], [sha(b"\0", t.encode()) for t in texts], iter(head["nodes"])
    need(all(shaped(e, *ENTRY) and e["v"] == 1 and re.fullmatch("[a-z_.]+", e["event"]) for e in entries), "no entry")
    need(len({(e["organization"], e["site"]) for e in entries}) == 1, "entries of several sites")
    need(all(type(n) is int and 0 <= n < size >= old > 0 for n in places) and len({*places}) == len(places), "no place")
    need(roots(sorted(zip(places, hashes)), 0, size, old, nodes) == (root, was) and not [*nodes], "not what was signed")
    chains = [(s, *zip(*p)) for s, p in itertools.groupby(zip(entries[:-1], hashes), lambda pair: pair[0]["subject"])]
    need(all([(e["seq"], e["prev"]) for e in part] == list(enumerate(["0" * 64] + [h.hex() for h in leaves[:-1]], 1))
             for _, part, leaves in chains), "a chain that is broken")
    ends = [[subject, len(part), leaves[-1].hex()] for subject, part, leaves in chains]
    said = {"chains": len(ends), "heads": sha(dump(ends).encode()).hex(), "subject": ends[0][0]}
    need((entries[-1]["event"], dump(entries[-1]["detail"])) == ("ledger.exported", dump(said)), "not as exported")
    about, (_, story, _), outcome, made = ends[0][0], chains[0], "recorded", []
    if about.startswith("run_"):
        need(RUN.fullmatch(" ".join(e["event"] for e in story)), "a run doesn't go so")
        outcome = story[-1]["detail"]["outcome"] if story[-1]["event"] == "run.finished" else "open"
        made = [entry["detail"]["proposal"] for entry in story if entry["event"] == "proposal.created"]
    need([subject for subject, *_ in ends[1:]] == made, "other chains than the run's and its proposals'")
    told = [f" {name}={proposal(part, about if made else None)}" for name, part, _ in chains if name[:5] == "prop_"]
    return f"{about} {outcome} entries={len(entries) - 1} size={size}" + "".join(told)
if __name__ == "__main__":
    files = [open(path, "rb").read() for path in sys.argv[1:2] + sys.argv[3:]]
    try: print("ok", verify(files[0], *sys.argv[2:3], *map(bytes.decode, files[1:])))
    except Exception as error: sys.exit(f"refused: {error}")
