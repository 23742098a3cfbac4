//! Nothing is acknowledged before it's on the disk: in what `strace` saw, every answer to a change
//! comes after a flush that ended well and that began after the change was asked for.

use super::strace::Strace;
use super::world::World;

const CALLS: &str = "fsync,fdatasync,recvfrom,read,sendto,sendmsg,writev";

const DRAFTS: usize = 20;

#[test]
fn every_acknowledgement_comes_after_its_flush() {
    let (early, seen) = write_one_by_one(&[]);
    assert_eq!(early, 0, "{seen}");
}

/// The control: the same server over a disk that only says that it flushes.
#[test]
fn a_disk_that_does_not_flush_is_noticed() {
    let (early, seen) = write_one_by_one(&["--inject=fsync,fdatasync:retval=0"]);
    assert_eq!(early, DRAFTS, "{seen}");
}

/// How many drafts of one writer were acknowledged before they were flushed, and what was traced.
fn write_one_by_one(more: &[&str]) -> (usize, String) {
    let mut world = World::new();
    let mut writers = world.writers();
    writers.truncate(1);
    let log = world.log();
    let mut arguments = vec![
        "-f".to_owned(),
        "--string-limit=64".to_owned(),
        format!("--output={}", log.display()),
        format!("--trace={CALLS}"),
    ];
    arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    let strace = Strace::attach(&arguments, world.server.pid());
    let written = world.write(writers, DRAFTS as u64);
    drop(strace);
    assert_eq!(written.acknowledged, DRAFTS);
    let seen = std::fs::read_to_string(log).expect("a log");
    let (asked, early) = acknowledged_early(&seen);
    assert_eq!(asked, DRAFTS, "{seen}");
    (early.len(), seen)
}

/// How many answers a trace shows, and which of them came without a flush since they were asked for.
fn acknowledged_early(trace: &str) -> (usize, Vec<usize>) {
    let (mut asked, mut early, mut flushed) = (0, Vec::new(), false);
    for line in trace.lines() {
        if line.contains("\"POST /mcp") {
            flushed = false;
        } else if (line.contains("sync(") || line.contains("sync resumed")) && line.ends_with("= 0")
        {
            flushed = true;
        } else if line.contains("\"HTTP/1.1 200") {
            if !flushed {
                early.push(asked);
            }
            asked += 1;
        }
    }
    (asked, early)
}

#[test]
fn an_acknowledgement_without_its_flush_is_noticed() {
    let answer = "7 writev(12, [{iov_base=\"HTTP/1.1 200 OK\\r\\n\", iov_len=100}], 1) = 100";
    let asked = "7 recvfrom(12, \"POST /mcp HTTP/1.1\", 8192, 0, NULL, NULL) = 18";
    let good = [asked, "9 fsync(13) = 0", answer];
    let resumed = [
        asked,
        "9 fsync(13 <unfinished ...>",
        "9 <... fsync resumed>) = 0",
        answer,
    ];
    let never = [asked, answer];
    let failed = [
        asked,
        "9 fsync(13) = -1 EIO (Input/output error) (INJECTED)",
        answer,
    ];
    let early = [asked, answer, "9 fsync(13) = 0"];
    let of_another = ["9 fsync(13) = 0", asked, answer];
    let found = |lines: &[&str]| acknowledged_early(&lines.join("\n")).1;
    assert!(found(&good).is_empty() && found(&resumed).is_empty());
    for bad in [&never[..], &failed, &early, &of_another] {
        assert_eq!(found(bad), [0], "{bad:?}");
    }
}
