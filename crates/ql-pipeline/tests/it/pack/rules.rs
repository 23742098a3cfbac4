//! What is validated, and by whom.

use super::{Draft, wrong};

#[test]
fn a_rule_that_has_to_be_attested_is_attested_by_some_role() {
    insta::assert_snapshot!(wrong("roles.toml", "attests = [\"R-1\"]\n", ""), @"
    the pack isn't fit for use; 2 to mend
      rules.toml, line 1: `R-1` has to be attested and no role may; name it in the `attests` of one
      rules.toml, line 6: `reader` doesn't attest `R-1`, so it can't say that the rule doesn't apply
    ");
}

#[test]
fn only_who_attests_a_rule_says_that_it_does_not_apply() {
    insta::assert_snapshot!(wrong("rules.toml", "[\"reader\"]", "[\"reader\", \"sender\", \"nobody\"]"), @"
    the pack isn't fit for use; 2 to mend
      rules.toml, line 6: `sender` doesn't attest `R-1`, so it can't say that the rule doesn't apply
      rules.toml, line 6: `nobody` is no role of this pack
    ");
    let more = "kind = \"deterministic\"\nnot_applicable_by = [\"reader\"]";
    insta::assert_snapshot!(wrong("rules.toml", "kind = \"deterministic\"", more), @"
    the pack isn't fit for use; 1 to mend
      rules.toml, line 13: `reader` doesn't attest `R-2`, so it can't say that the rule doesn't apply
    ");
}

#[test]
fn a_rule_is_required_where_it_can_have_been_attested() {
    let draft = Draft::small().with(
        "stages.toml",
        "by = { role = \"reader\" }\ndoc_kind = \"research_report\"",
        "by = \"server\"",
    );
    insta::assert_snapshot!(draft.wrong(), @"
    the pack isn't fit for use; 2 to mend
      stages.toml, line 11: `READ` requires `R-1`, but no stage up to it is of a role that attests it
      stages.toml, line 18: `SEALED` requires `R-1`, but no stage up to it is of a role that attests it
    ");
    // The stage's own role may attest what the stage requires.
    assert_eq!(Draft::small().fit().stages[1].rules, ["R-1"]);
}

#[test]
fn a_deterministic_rule_says_what_the_server_looks_at_and_no_other_does() {
    let none = "kind = \"deterministic\"";
    insta::assert_snapshot!(wrong("rules.toml", "kind = \"deterministic\"\ncheck = \"quotations\"", none), @"
    the pack isn't fit for use; 1 to mend
      rules.toml, line 8: `check` is missing; a deterministic rule says what the server looks at
    ");
    let both = "kind = \"attested\"\ncheck = \"quotations\"";
    insta::assert_snapshot!(wrong("rules.toml", "kind = \"attested\"", both), @"
    the pack isn't fit for use; 1 to mend
      rules.toml, line 6: the server looks at nothing where a role attests; leave `check` out
    ");
}
