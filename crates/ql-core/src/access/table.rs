//! Every decision there is, against a table that was written from the contract and not from the
//! code: all pairs of a connection's scopes and an agent's permissions, and every other caller, each
//! with every act. A member holds no scopes and an agent no role, so nothing else can vary.

use super::{
    AgentPrincipal, Capability, Denied, EVERY, InOrganization, MayDecide, MayPropose,
    MemberCredential, MemberPrincipal, OnSite, Principal,
};
use crate::actor::Harness;
use crate::id::{AgentId, ConnectionId, IdGen, MemberId, OrganizationId, SessionId, SiteId};
use crate::proposal::ProposalKind;
use crate::role::Role;
use crate::scope::ScopeSet;
use crate::time::Timestamp;

/// The scopes in the order of the contract, one bit each from the lowest on.
const SCOPES: &str = "site:read content:read content:write topical-map:read topical-map:write runs:read runs:write publish:request";

/// Who may do what, from the contract's §1 (roles, tokens), §4 (scopes by kind), §10 (scopes by
/// tool) and decision 0015: act, the scope that allows it to an agent, the roles that may (owner,
/// admin, editor, reviewer, viewer), and whether a personal token, the command line and the server
/// itself may. `-` is nobody.
const TABLE: &str = "
    ReadSite                       site:read          oaerv token operator server
    ReadContent                    content:read       oaerv token operator server
    ReadRuns                       runs:read          oaerv token operator server
    ReadTopicalMap                 topical-map:read   oaerv token operator server
    ReadAdministration             -                  oaerv token operator server
    ReadOrganization               -                  oaerv token operator server
    ReadConsole                    -                  oaerv token operator server
    UseConsole                     -                  oae   token -        -
    DirectProductions              -                  oae   token operator -
    WriteRuns                      runs:write         -     -     -        server
    WriteContent                   content:write      oae   token operator server
    WriteEvidence                  content:write      oae   token -        -
    StageSources                   content:write      -     -     -        -
    DisposeSources                 -                  oae   token -        -
    ReviewEvidence                 -                  oaer  token -        -
    ProposeContent                 content:write      oae   token -        -
    ProposePublication             publish:request    oae   token -        -
    ProposeTopicalMap              topical-map:write  oae   token -        -
    ImportStrategy                 -                  oae   token -        -
    EditTemplates                  -                  oae   token operator server
    EditForms                      -                  oae   token operator -
    ReadSubmissions                -                  oaer  token -        -
    Decide                         -                  oaer  -     -        -
    DecideContentLifecycle         -                  oa    -     -        -
    RollBack                       -                  oaer  -     -        -
    AdministerSite                 -                  oa    token operator -
    Administer                     -                  oa    token operator -
    ChangeAuthority                -                  oa    -     operator -
    ManageMembers                  -                  oa    -     operator -
    ManageOrganization             -                  o     -     operator -
    ActAsServer                    -                  -     -     -        server
    propose:create_content         content:write      oae   token -        -
    propose:content_revision       content:write      oae   token -        -
    propose:internal_link          content:write      oae   token -        -
    propose:content_brief_draft    content:write      oae   token -        -
    propose:content_source_draft   content:write      oae   token -        -
    propose:topical_map_change     topical-map:write  oae   token -        -
    propose:topical_strategy       topical-map:write  oae   token -        -
    propose:publish_lifecycle      publish:request    oae   token -        -
    propose:content_lifecycle      publish:request    oae   token -        -
    propose:roll_back              -                  oaer  -     -        -
    decide:create_content          -                  oaer  -     -        -
    decide:content_revision        -                  oaer  -     -        -
    decide:internal_link           -                  oaer  -     -        -
    decide:content_brief_draft     -                  oaer  -     -        -
    decide:content_source_draft    -                  oaer  -     -        -
    decide:topical_map_change      -                  oaer  -     -        -
    decide:topical_strategy        -                  oaer  -     -        -
    decide:publish_lifecycle       -                  oaer  -     -        -
    decide:content_lifecycle       -                  oa    -     -        -
";

/// What each caller may do, by name of the act, as one bit each.
struct Seen {
    acts: Vec<String>,
    /// By the connection's scopes (high byte) and the agent's permissions (low byte).
    agents: Vec<u64>,
    /// Everybody else, by what the table calls them.
    others: Vec<(String, u64)>,
}

pub(super) fn answer<C: Capability<Place: Somewhere>>(principal: &Principal) -> Result<(), Denied> {
    principal.authorize::<C>(C::Place::somewhere()).map(drop)
}

/// A place that tests take, since every place is decided about alike.
pub(super) trait Somewhere {
    fn somewhere() -> Self;
}

impl Somewhere for OnSite {
    fn somewhere() -> Self {
        let (ids, now) = (&CountedIds, Timestamp::from_micros(1));
        Self {
            organization: OrganizationId::mint(ids, now),
            site: SiteId::mint(ids, now),
        }
    }
}

impl Somewhere for InOrganization {
    fn somewhere() -> Self {
        Self {
            organization: OnSite::somewhere().organization,
        }
    }
}

struct CountedIds;

impl IdGen for CountedIds {
    fn next(&self, _: Timestamp) -> u128 {
        1
    }

    fn fill(&self, _: &mut [u8]) {}
}

type Question = Box<dyn Fn(&Principal) -> bool>;

/// Every act that the program knows, by name.
fn questions() -> Vec<(String, Question)> {
    let mut all: Vec<(String, Question)> = Vec::new();
    for (name, ask) in EVERY {
        let ask: Question = Box::new(move |principal| ask(principal).is_ok());
        all.push(((*name).to_owned(), ask));
    }
    let place = OnSite::somewhere();
    for kind in ProposalKind::ALL {
        let propose: Question =
            Box::new(move |principal| MayPropose::check(principal, kind, place).is_ok());
        let decide: Question =
            Box::new(move |principal| MayDecide::check(principal, kind, place).is_ok());
        all.push((format!("propose:{kind}"), propose));
        all.push((format!("decide:{kind}"), decide));
    }
    let back: Question = Box::new(move |principal| MayPropose::roll_back(principal, place).is_ok());
    all.push(("propose:roll_back".to_owned(), back));
    all
}

fn member(role: Role, session: bool) -> Principal {
    let (ids, now) = (&CountedIds, Timestamp::from_micros(1));
    let credential = if session {
        MemberCredential::Session {
            session: SessionId::mint(ids, now),
            reauthenticated_at: now,
            let_in_by: None,
        }
    } else {
        MemberCredential::PersonalToken
    };
    Principal::Member(MemberPrincipal {
        member: MemberId::mint(ids, now),
        role,
        credential,
    })
}

/// Asks the real functions everything.
fn seen() -> Seen {
    let questions = questions();
    assert!(questions.len() <= 64, "one bit each");
    let mask = |principal: &Principal| {
        let bits = questions.iter().enumerate();
        bits.fold(0, |mask, (bit, (_, ask))| {
            mask | u64::from(ask(principal)) << bit
        })
    };
    let names: Vec<&str> = SCOPES.split(' ').collect();
    let set = |bits: usize| -> ScopeSet {
        let named = names.iter().enumerate();
        let chosen = named.filter(|(bit, _)| bits & (1 << bit) != 0);
        chosen
            .map(|(_, name)| name.parse().expect("a scope"))
            .collect()
    };
    let sets: Vec<ScopeSet> = (0..256).map(set).collect();
    let (ids, now) = (&CountedIds, Timestamp::from_micros(1));
    let identity = (AgentId::mint(ids, now), Harness::Other);
    let connection = ConnectionId::mint(ids, now);
    let mut agents = Vec::new();
    for held in &sets {
        for permitted in &sets {
            let agent = AgentPrincipal::new(identity, (connection, *held), *permitted);
            agents.push(mask(&Principal::Agent(agent)));
        }
    }
    let mut others = vec![
        ("operator".to_owned(), mask(&Principal::Operator { uid: 0 })),
        ("server".to_owned(), mask(&Principal::System)),
    ];
    for role in Role::ALL {
        let letter = &role.as_str()[..1];
        others.push((letter.to_owned(), mask(&member(role, true))));
        others.push((format!("{letter} token"), mask(&member(role, false))));
    }
    let acts = questions.into_iter().map(|(name, _)| name).collect();
    Seen {
        acts,
        agents,
        others,
    }
}

type Line<'a> = [&'a str; 6];

fn lines(table: &str) -> Vec<Line<'_>> {
    let lines = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| line.try_into().expect("six columns"))
        .collect()
}

/// Where the program and the table differ: acts without a line, and callers who may or may not,
/// contrary to it. Of the pairs of scopes and permissions, those that `pairs` names are compared.
fn differences(seen: &Seen, table: &str, pairs: impl Iterator<Item = usize>) -> Vec<String> {
    let lines = lines(table);
    let mut found = Vec::new();
    let mut by_scope = [0; 8];
    let mut expected = vec![0; seen.others.len()];
    for (bit, act) in seen.acts.iter().enumerate() {
        let Some([_, scope, roles, token, operator, server]) =
            lines.iter().find(|line| line[0] == act)
        else {
            found.push(format!("{act} has no line"));
            continue;
        };
        if let Some(scope) = SCOPES.split(' ').position(|name| name == *scope) {
            by_scope[scope] |= 1 << bit;
        }
        for (expected, (caller, _)) in expected.iter_mut().zip(&seen.others) {
            let may = match caller.split_once(' ') {
                Some((role, _)) => roles.contains(role) && *token != "-",
                None if caller.len() == 1 => roles.contains(caller),
                None => [operator, server].iter().any(|column| **column == caller),
            };
            *expected |= u64::from(may) << bit;
        }
    }
    for ((caller, mask), expected) in seen.others.iter().zip(expected) {
        if *mask != expected {
            found.push(format!("{caller}: {:b}", mask ^ expected));
        }
    }
    for pair in pairs {
        let both = (pair >> 8) & pair & 255;
        let scopes = by_scope.iter().enumerate();
        let allowed = scopes.filter(|(bit, _)| both & (1 << bit) != 0);
        let expected = allowed.fold(0, |all, (_, acts)| all | acts);
        if seen.agents[pair] != expected {
            found.push(format!("{pair:016b}: {:b}", seen.agents[pair] ^ expected));
        }
    }
    found
}

#[test]
fn every_decision_is_what_the_contract_says() {
    let seen = seen();
    assert_eq!((seen.agents.len(), seen.others.len()), (65_536, 12));
    let found = differences(&seen, TABLE, 0..65_536);
    assert_eq!(found.len(), 0, "{:?}", &found[..found.len().min(10)]);
}

/// The negative control: whichever entry of the table is changed, the comparison finds it.
#[test]
fn a_change_of_any_entry_of_the_table_is_found() {
    let seen = seen();
    let alike = || (0..256).map(|bits| bits << 8 | bits);
    for line in lines(TABLE) {
        if !seen.acts.contains(&line[0].to_owned()) {
            continue;
        }
        for (column, entry) in line.iter().enumerate() {
            for other in instead(column, entry, line[2]) {
                let mut changed = line;
                changed[column] = &other;
                let rest = lines(TABLE).into_iter().filter(|kept| kept[0] != line[0]);
                let table: Vec<String> = rest.map(|kept| kept.join(" ")).collect();
                let table = format!("{}\n{}", table.join("\n"), changed.join(" "));
                let found = differences(&seen, &table, alike());
                assert_ne!(found, [""; 0], "{changed:?} for {line:?}");
            }
        }
    }
}

/// What an entry could be changed to.
fn instead(column: usize, entry: &str, roles: &str) -> Vec<String> {
    let texts: Vec<String> = match column {
        0 => vec!["Other".to_owned()],
        1 => SCOPES.split(' ').chain(["-"]).map(str::to_owned).collect(),
        2 => ["o", "a", "e", "r", "v"]
            .iter()
            .map(|role| match entry.contains(role) {
                true if entry.len() == 1 => "-".to_owned(),
                true => entry.replace(role, ""),
                false => format!("{}{role}", entry.replace('-', "")),
            })
            .collect(),
        // Whom no role may, no token may either: there the entry says nothing.
        3 if roles == "-" => Vec::new(),
        _ => ["-", ["token", "operator", "server"][column - 3]]
            .map(str::to_owned)
            .to_vec(),
    };
    texts.into_iter().filter(|text| text != entry).collect()
}
