//! Who may do what.

use super::{Draft, wrong};

const SECOND: &str = "[[role]]\nid = \"herald\"\nnumber = 3\nname = \"Herald\"\ntask = \"Sends too.\"\ntier = \"none\"\npublishes = true\n";

#[test]
fn one_role_publishes() {
    insta::assert_snapshot!(Draft::small().and("roles.toml", SECOND).wrong(), @"
    the pack isn't fit for use; 1 to mend
      roles.toml, line 25: `herald` publishes, and so does `sender`; one role of a pack may
    ");
    let silent = SECOND.replace("publishes = true\n", "");
    assert_eq!(
        Draft::small().and("roles.toml", &silent).fit().roles.len(),
        3
    );
}

#[test]
fn no_role_reads_what_is_untrusted_and_what_is_private_and_publishes() {
    let more = "reads_private = true\nreads_untrusted = true";
    insta::assert_snapshot!(wrong("roles.toml", "reads_private = true", more), @"
    the pack isn't fit for use; 1 to mend
      roles.toml, line 19: `sender` reads untrusted material and private data, and publishes; a role has two of these at most
    ");
    // Two of the three are lawful, but for what publishes, which reads nothing untrusted.
    insta::assert_snapshot!(wrong("roles.toml", "reads_private = true", "reads_untrusted = true"), @"
    the pack isn't fit for use; 1 to mend
      roles.toml, line 18: `sender` publishes; what publishes reads nothing untrusted
    ");
    let draft = Draft::small().with(
        "roles.toml",
        "reads_untrusted = true",
        "reads_untrusted = true\nreads_private = true",
    );
    assert!(
        draft
            .fit()
            .role("reader")
            .is_some_and(|role| role.reads_private)
    );
}

#[test]
fn what_publishes_calls_no_model() {
    insta::assert_snapshot!(wrong("roles.toml", "tier = \"none\"", "tier = \"reasoning\""), @"
    the pack isn't fit for use; 1 to mend
      roles.toml, line 16: `sender` publishes with a model (`reasoning`); what publishes calls none, so its tier is `none`
    ");
}

#[test]
fn numbers_are_small_and_each_role_has_its_own() {
    insta::assert_snapshot!(wrong("roles.toml", "number = 2", "number = 1"), @"
    the pack isn't fit for use; 1 to mend
      roles.toml, line 13: 1 is the number of `reader` already
    ");
    insta::assert_snapshot!(wrong("roles.toml", "number = 2", "number = 100"), @"
    the pack isn't fit for use; 1 to mend
      roles.toml, line 13: roles have numbers up to 99
    ");
}

#[test]
fn roles_come_by_number() {
    let draft = Draft::small().with("roles.toml", "number = 1", "number = 9");
    let pack = draft.fit();
    let ids: Vec<&str> = pack.roles.iter().map(|role| role.id.as_str()).collect();
    assert_eq!(ids, ["sender", "reader"]);
}

#[test]
fn a_role_attests_rules_that_are_there_and_that_are_attested() {
    insta::assert_snapshot!(wrong("roles.toml", "[\"R-1\"]", "[\"R-1\", \"R-2\", \"R-3\", \"R-1\"]"), @"
    the pack isn't fit for use; 3 to mend
      roles.toml, line 8: `R-2` is deterministic: the engine decides it, nobody attests it
      roles.toml, line 8: `R-3` is no rule of this pack
      roles.toml, line 8: `R-1` stands here twice
    ");
}
