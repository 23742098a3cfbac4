//! The course of a production through its stages.

use super::{Draft, wrong};

#[test]
fn stages_name_roles_rules_and_stages_that_are_there() {
    let wrong = Draft::small()
        .with(
            "stages.toml",
            "{ role = \"reader\" }",
            "{ role = \"writer\" }",
        )
        .with(
            "stages.toml",
            "[\"R-1\", \"R-2\"]",
            "[\"R-2\", \"R-7\", \"R-2\"]",
        )
        .with(
            "stages.toml",
            "needs = [\"SEALED\"]",
            "needs = [\"SEALED\", \"SIGNED\"]",
        )
        .wrong();
    insta::assert_snapshot!(wrong, @"
    the pack isn't fit for use; 4 to mend
      stages.toml, line 9: `writer` is no role of this pack
      stages.toml, line 19: `R-7` is no rule of this pack
      stages.toml, line 19: `R-2` stands here twice
      stages.toml, line 26: `SIGNED` is no stage of this pack
    ");
}

#[test]
fn an_agent_makes_a_document_and_nobody_else_does() {
    insta::assert_snapshot!(wrong("stages.toml", "doc_kind = \"research_report\"\n", ""), @"
    the pack isn't fit for use; 1 to mend
      stages.toml, line 6: `READ` is a stage of `reader`, which makes a document; name its `doc_kind`
    ");
    insta::assert_snapshot!(wrong("stages.toml", "by = \"server\"", "by = \"server\"\ndoc_kind = \"script\""), @"
    the pack isn't fit for use; 1 to mend
      stages.toml, line 18: `SEALED` is no agent's stage, so it makes no document
    ");
}

#[test]
fn stages_that_wait_for_each_other_are_named() {
    let wrong_one = wrong(
        "stages.toml",
        "needs = [\"READ\"]",
        "needs = [\"READ\", \"SENT\"]",
    );
    insta::assert_snapshot!(wrong_one, @"
    the pack isn't fit for use; 1 to mend
      stages.toml, line 18: stages wait for each other: `SEALED` → `APPROVED` → `SENT` → `SEALED`
    ");
    insta::assert_snapshot!(wrong("stages.toml", "needs = [\"READ\"]", "needs = [\"SEALED\"]"), @"
    the pack isn't fit for use; 1 to mend
      stages.toml, line 18: stages wait for each other: `SEALED` → `SEALED`
    ");
    let two = Draft::small()
        .with(
            "stages.toml",
            "by = \"human\"\n\n[[stage]]\nid = \"READ\"",
            "by = \"human\"\nneeds = [\"READ\"]\n\n[[stage]]\nid = \"READ\"",
        )
        .with("stages.toml", "needs = [\"SEALED\"]", "needs = [\"SENT\"]");
    insta::assert_snapshot!(two.wrong(), @"
    the pack isn't fit for use; 2 to mend
      stages.toml, line 5: stages wait for each other: `BEGUN` → `READ` → `BEGUN`
      stages.toml, line 27: stages wait for each other: `APPROVED` → `SENT` → `APPROVED`
    ");
}

#[test]
fn a_production_comes_to_every_stage() {
    insta::assert_snapshot!(wrong("stages.toml", "needs = [\"READ\"]\n", ""), @"
    the pack isn't fit for use; 2 to mend
      stages.toml, line 14: `SEALED` needs nothing, so nothing leads to it: a production begins at `BEGUN`; name what `SEALED` comes after
      stages.toml, line 18: `SEALED` requires `R-1`, but no stage up to it is of a role that attests it
    ");
    insta::assert_snapshot!(wrong("stages.toml", "needs = [\"READ\"]", "needs = [\"READ\", \"GONE\"]"), @"
    the pack isn't fit for use; 1 to mend
      stages.toml, line 18: `SEALED` comes after `GONE`, which is a way out, so no production comes to it
    ");
}

#[test]
fn a_way_out_may_need_nothing_and_may_lead_to_another() {
    let more = "\n[[stage]]\nid = \"FORGOTTEN\"\nname = \"Forgotten\"\nby = \"human\"\nneeds = [\"GONE\"]\nside = true\n";
    let draft = Draft::small()
        .with("stages.toml", "needs = [\"BEGUN\"]\nside", "side")
        .and("stages.toml", more);
    let pack = draft.fit();
    assert_eq!(pack.stage("FORGOTTEN").map(|stage| stage.side), Some(true));
}

#[test]
fn a_pack_has_a_stage() {
    let draft = Draft::small()
        .without("stages.toml")
        .beside("stages.toml", b"# none yet\n");
    insta::assert_snapshot!(draft.wrong(), @"
    the pack isn't fit for use; 1 to mend
      stages.toml: a pack has at least one stage
    ");
}

#[test]
fn what_is_published_has_passed_a_gate_and_a_person() {
    insta::assert_snapshot!(wrong("stages.toml", "gate = \"THEOLOGY_VERIFIED\"\n", ""), @"
    the pack isn't fit for use; 1 to mend
      stages.toml, line 32: `SENT` publishes, and no stage of the server with a `gate` comes before it
    ");
    let alone = Draft::small().with(
        "stages.toml",
        "id = \"APPROVED\"\nname = \"Approved\"\nby = \"human\"",
        "id = \"APPROVED\"\nname = \"Approved\"\nby = \"server\"",
    );
    // The person who began it approved nothing: it's one before the gate.
    insta::assert_snapshot!(alone.wrong(), @"
    the pack isn't fit for use; 1 to mend
      stages.toml, line 33: `SENT` publishes, and no person's stage comes between the server's gate and it
    ");
}

#[test]
fn stages_come_after_what_they_need_and_else_as_the_file_has_them() {
    let pack = Draft::small().fit();
    let ids: Vec<&str> = pack.stages.iter().map(|stage| stage.id.as_str()).collect();
    assert_eq!(ids, ["BEGUN", "READ", "SEALED", "APPROVED", "SENT", "GONE"]);
    // The same stages from the bottom to the top of the file.
    let (_, text) = super::SMALL[3];
    let mut parts: Vec<&str> = text.split("[[stage]]").collect();
    parts.remove(0);
    parts.reverse();
    let turned = format!("[[stage]]{}", parts.join("\n[[stage]]"));
    let draft = Draft::small()
        .without("stages.toml")
        .beside("stages.toml", turned.as_bytes());
    let pack = draft.fit();
    let ids: Vec<&str> = pack.stages.iter().map(|stage| stage.id.as_str()).collect();
    assert_eq!(ids, ["BEGUN", "GONE", "READ", "SEALED", "APPROVED", "SENT"]);
}
