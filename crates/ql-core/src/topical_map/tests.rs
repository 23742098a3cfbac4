use super::*;

fn add(key: &str, kind: NodeKind, parent: Option<&str>) -> Operation {
    Operation::AddNode(AddNode {
        key: key.into(),
        kind,
        title: key.to_uppercase(),
        query: None,
        intent: None,
        parent: parent.map(str::to_owned),
        template: None,
    })
}

fn go(key: &str, parent: Option<&str>) -> Operation {
    Operation::MoveNode {
        key: key.into(),
        parent: parent.map(str::to_owned),
    }
}

fn retire(key: &str) -> Operation {
    Operation::RetireNode { key: key.into() }
}

fn small() -> Map {
    let operations = [
        add("tea", NodeKind::Pillar, None),
        add("green", NodeKind::Cluster, Some("tea")),
        add("sencha", NodeKind::Page, Some("green")),
        add("coffee", NodeKind::Pillar, None),
    ];
    Map::default().apply(&operations).expect("sound").0
}

#[test]
fn a_version_is_the_sum_of_its_operations() {
    let map = small();
    assert_eq!(map.version, 1);
    let operations = [
        go("sencha", Some("tea")),
        retire("green"),
        Operation::UpdateNode(UpdateNode {
            key: "sencha".into(),
            title: Some("How to brew sencha".into()),
            ..UpdateNode::default()
        }),
    ];
    let (next, changes) = map.apply(&operations).expect("sound");
    assert_eq!(next.version, 2);
    let lines: Vec<String> = changes
        .iter()
        .map(|change| {
            let place = |node: &Node| (node.title.clone(), node.parent.clone(), node.retired);
            format!(
                "{}: {:?} -> {:?}",
                change.key,
                change.before.as_ref().map(place),
                place(&change.after)
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    sencha: Some(("SENCHA", Some("green"), false)) -> ("SENCHA", Some("tea"), false)
    green: Some(("GREEN", Some("tea"), false)) -> ("GREEN", Some("tea"), true)
    sencha: Some(("SENCHA", Some("tea"), false)) -> ("How to brew sencha", Some("tea"), false)
    "#);
    let path: Vec<&str> = next
        .above("sencha")
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    assert_eq!(path, ["tea"]);
}

#[test]
fn everything_that_does_not_fit_is_said_at_once() {
    let operations = [
        add("tea", NodeKind::Pillar, None),
        add("Bad key", NodeKind::Page, Some("nowhere")),
        add("alone", NodeKind::Page, None),
        add("top", NodeKind::Pillar, Some("tea")),
        add("deep", NodeKind::Cluster, Some("green")),
        add("below", NodeKind::Page, Some("sencha")),
        go("green", Some("green")),
        go("sencha", Some("green")),
        retire("green"),
        retire("gone"),
        Operation::UpdateNode(UpdateNode {
            key: "sencha".into(),
            title: Some(" ".into()),
            ..UpdateNode::default()
        }),
        retire("sencha"),
        retire("sencha"),
        add("late", NodeKind::Cluster, Some("coffee")),
    ];
    let problems = small().apply(&operations).expect_err("refused");
    let lines: Vec<String> = problems
        .iter()
        .map(|p| format!("{} {} {}", p.pointer, p.code, p.message))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    /operations/0/key duplicate_key the map has a node `tea` already, perhaps retired
    /operations/1/key format expected a key: a-z, 0-9, _ and -, at most 100 characters
    /operations/1/parent unknown_parent the map has no node `nowhere`
    /operations/2/parent required a page stands under a cluster or pillar
    /operations/3/parent parent_kind a pillar stands at the top
    /operations/4/parent parent_kind a cluster stands under a pillar, and `green` is a cluster
    /operations/5/parent parent_kind a page stands under a cluster or pillar, and `sencha` is a page
    /operations/6/parent cycle `green` is `green` or stands below it
    /operations/7 unchanged the node `sencha` is like this already
    /operations/8/key has_children the node `green` has children; move or retire them first: `sencha`
    /operations/9/key unknown_node the map has no node `gone`
    /operations/10/title required expected a text that isn't empty
    /operations/12/key retired the node `sencha` is retired
    ");
}

#[test]
fn no_operations_are_no_change() {
    let problems = small().apply(&[]).expect_err("refused");
    assert_eq!(problems[0].code, "required");
}

/// Only a damaged map has one, since kinds order parents strictly; it must not turn for ever.
#[test]
fn a_circle_ends() {
    let mut map = small();
    let node = map.nodes.get_mut("tea").expect("it");
    node.parent = Some("green".into());
    assert!(map.is_below("tea", "green"));
    assert!(map.above("sencha").len() < 6);
}
