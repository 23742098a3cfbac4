//! The entries of tables: their fields, ids and passages.

use ql_pipeline::pack::load;
use ql_pipeline::pack::problem::{Code, Problem};

use super::{Draft, wrong};

#[test]
fn fields_that_a_table_does_not_have_are_named() {
    let wrong = Draft::small()
        .with(
            "rules.toml",
            "title = \"Read\"",
            "titel = \"Read\"\ntitle = \"Read\"",
        )
        .and("disputed.toml", "\nverses = 3\n[[dispute]]\nid = \"P-2\"\n")
        .and("translations.toml", "licence = \"free\"\n")
        .wrong();
    insta::assert_snapshot!(wrong, @"
    the pack isn't fit for use; 4 to mend
      rules.toml, line 3: there is no field `titel` here
      disputed.toml, line 6: there is no field `verses` here
      disputed.toml, line 7: there is no `dispute` here; entries begin with `[[disputed]]`
      translations.toml, line 8: there is no field `licence` here
    ");
}

#[test]
fn each_field_is_read_by_itself() {
    let wrong = Draft::small()
        .with("roles.toml", "number = 1", "number = \"one\"")
        .with(
            "roles.toml",
            "task = \"Reads.\"\ntier = \"reasoning\"",
            "tier = \"thinking\"",
        )
        .with(
            "roles.toml",
            "attests = [\"R-1\"]",
            "attests = [\"R-1\", 2]",
        )
        .with("roles.toml", "name = \"Sender\"", "name = \" \"")
        .wrong();
    insta::assert_snapshot!(wrong, @r#"
    the pack isn't fit for use; 5 to mend
      roles.toml, line 1: `task` is missing
      roles.toml, line 3: `number`: invalid type: string "one", expected u8
      roles.toml, line 5: `tier`: unknown variant `thinking`, expected one of `reasoning`, `writing`, `vision`, `image`, `tts`, `none`
      roles.toml, line 7: `attests`: invalid type: integer `2`, expected a string
      roles.toml, line 13: `name` is empty
    "#);
}

#[test]
fn entries_and_what_is_in_them_are_tables() {
    let grant = "[translation.grant]\nedition = \"version\"\nas_of = \"2026-12-01\"\nsource = \"its first page\"\n";
    insta::assert_snapshot!(wrong("translations.toml", grant, ""), @"
    the pack isn't fit for use; 1 to mend
      translations.toml, line 1: `grant` is missing
    ");
    insta::assert_snapshot!(wrong("translations.toml", grant, "grant = \"all\""), @"
    the pack isn't fit for use; 1 to mend
      translations.toml, line 4: `grant` is a table
    ");
    let draft = Draft::small().without("disputed.toml");
    let draft = draft.beside(
        "disputed.toml",
        b"disputed = [\"Gen 1:1\"]\nmatter = \"all\"\n",
    );
    insta::assert_snapshot!(draft.wrong(), @"
    the pack isn't fit for use; 2 to mend
      disputed.toml, line 1: an entry is a table that begins with `[[disputed]]`
      disputed.toml, line 2: there is no `matter` here; entries begin with `[[disputed]]`
    ");
}

#[test]
fn an_id_is_one_and_stands_once() {
    insta::assert_snapshot!(wrong("doctrines.toml", "D-1", "D:1"), @"
    the pack isn't fit for use; 1 to mend
      doctrines.toml, line 2: `D:1` is no id: a letter, then letters, figures, `_` and `-` of ASCII, 64 at most
    ");
    let again = "[[doctrine]]\nid = \"D-1\"\ntitle = \"T\"\nstatement = \"S\"\nstanding = \"held\"\nbasis = [\"Gen 1\"]\n";
    insta::assert_snapshot!(Draft::small().and("doctrines.toml", again).wrong(), @"
    the pack isn't fit for use; 1 to mend
      doctrines.toml, line 8: `D-1` is an earlier entry's too; each has its own
    ");
    let again = "[[translation]]\nname = \"T\"\n[translation.grant]\nedition = \"version\"\nas_of = \"2026-12-01\"\nsource = \"s\"\n";
    insta::assert_snapshot!(Draft::small().and("translations.toml", again).wrong(), @"
    the pack isn't fit for use; 1 to mend
      translations.toml, line 11: `version` is an earlier entry's too; each has its own
    ");
}

#[test]
fn passages_exist() {
    let wrong = Draft::small()
        .with(
            "doctrines.toml",
            "[\"Deut 6:4\"]",
            "[\"Deut 6:4\", \"Deut 6:40\"]",
        )
        .with("disputed.toml", "Gen 1:1", "Hezekiah 1:1")
        .wrong();
    insta::assert_snapshot!(wrong, @"
    the pack isn't fit for use; 2 to mend
      doctrines.toml, line 6: `Deut 6:40`: Deuteronomy 6 has 25 verses, not 40
      disputed.toml, line 3: `Hezekiah 1:1`: `Hezekiah` is no book that is known here
    ");
    insta::assert_snapshot!(super::wrong("disputed.toml", "[\"Gen 1:1\"]", "[]"), @"
    the pack isn't fit for use; 1 to mend
      disputed.toml, line 3: names no passage; name at least one
    ");
}

#[test]
fn terms_that_cannot_be_applied_are_refused() {
    let wrong = Draft::small()
        .with("translations.toml", "2026-12-01", "last week")
        .with("translations.toml", "its first page", "")
        .and(
            "translations.toml",
            "max_share_of_book = { verses = 3 }\nnotice = { text = \"\", places = [] }\n",
        )
        .wrong();
    insta::assert_snapshot!(wrong, @"
    the pack isn't fit for use; 4 to mend
      translations.toml, line 6: `as_of` is to be the day of the terms, YYYY-MM-DD
      translations.toml, line 7: `source` is to be where the terms were read
      translations.toml, line 8: `max_share_of_book` is to be a share, as `at_most` or `below`
      translations.toml, line 9: `notice` is to be its words and at least one place
    ");
    let wrong = Draft::small()
        .and(
            "translations.toml",
            "max_share_of_work = { at_most = [5, 4] }\n",
        )
        .wrong();
    insta::assert_snapshot!(wrong, @"
    the pack isn't fit for use; 1 to mend
      translations.toml, line 8: `max_share_of_work`: a share is two whole numbers, the first not above the second, the second not zero
    ");
}

#[test]
fn programs_are_told_file_line_pointer_and_code() {
    let draft = Draft::small().with("roles.toml", "[\"R-1\"]", "[\"R-1\", \"R-9\"]");
    let unfit = load(draft.0).expect_err("a rule that isn't there");
    let expected = Problem {
        file: "roles.toml".to_owned(),
        line: Some(8),
        pointer: "/role/0/attests/1".to_owned(),
        code: Code::UnknownRule,
        message: "`R-9` is no rule of this pack".to_owned(),
    };
    assert_eq!(unfit.problems, [expected]);
}

#[test]
fn everything_wrong_with_a_pack_is_said_at_once_in_the_order_of_its_files() {
    let wrong = Draft::small()
        .with("translations.toml", "2026-12-01", "never")
        .with("doctrines.toml", "Deut 6:4", "Deut 99")
        .with(
            "stages.toml",
            "[\"APPROVED\"]",
            "[\"APPROVED\", \"BLESSED\"]",
        )
        .with("roles.toml", "tier = \"none\"", "tier = \"writing\"")
        .with("pack.toml", "1.0.0", "one")
        .beside(".backup", b"")
        .wrong();
    insta::assert_snapshot!(wrong, @"
    the pack isn't fit for use; 6 to mend
      pack.toml, line 2: `one` is no version: three numbers, as in 1.0.0
      roles.toml, line 16: `sender` publishes with a model (`writing`); what publishes calls none, so its tier is `none`
      stages.toml, line 33: `BLESSED` is no stage of this pack
      doctrines.toml, line 6: `Deut 99`: Deuteronomy has 34 chapters, not 99
      translations.toml, line 6: `as_of` is to be the day of the terms, YYYY-MM-DD
      .backup: no pack has this file; it has pack.toml, constitution.md, roles.toml, stages.toml, rules.toml, doctrines.toml, disputed.toml, translations.toml alone
    ");
}
