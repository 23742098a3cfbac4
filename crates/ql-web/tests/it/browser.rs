//! A browser without JavaScript: it keeps cookies, follows links and sends the forms of pages.

use std::collections::BTreeMap;

use axum::Router;
use axum::body::Body;
use http::header::{CONTENT_TYPE, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use ql_core::role::Role;
use ql_testkit::{Place, TestApp};
use ql_web::{WebConfig, router};
use tower::ServiceExt as _;

use crate::html::{Element, read};

/// What came back.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
}

/// A person's browser.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    router: Router,
    cookies: BTreeMap<String, String>,
}

impl Browser {
    /// A browser that was never here.
    pub(crate) fn new(test: &TestApp) -> Self {
        Self::at(test, "https://ql.example")
    }

    /// A browser at a server that is reached at `public_url`.
    pub(crate) fn at(test: &TestApp, public_url: &str) -> Self {
        let config = WebConfig {
            public_url: public_url.into(),
            director: Some(test.director()),
        };
        Self {
            router: router(test.app.clone(), config),
            cookies: BTreeMap::new(),
        }
    }

    /// The same browser at a server that makes no productions.
    pub(crate) fn unserved(self, test: &TestApp) -> Self {
        let config = WebConfig {
            public_url: "https://ql.example".into(),
            director: None,
        };
        Self {
            router: router(test.app.clone(), config),
            ..self
        }
    }

    /// A browser in which a member opened a sign-in link.
    pub(crate) async fn of(test: &TestApp, place: &Place, role: Role) -> Self {
        let mut browser = Self::new(test);
        let landed = browser.get(&sign_in_link(test, place, role).await).await;
        assert_eq!(landed.status, StatusCode::OK, "{}", landed.html);
        browser
    }

    /// A browser that holds the cookie of a session.
    pub(crate) fn with_session(test: &TestApp, secret: &str) -> Self {
        let mut browser = Self::new(test);
        let cookie = test.app.session_cookie().to_owned();
        browser.cookies.insert(cookie, secret.to_owned());
        browser
    }

    /// The home organization's member of a role.
    pub(crate) async fn member(test: &TestApp, role: Role) -> Self {
        Self::of(test, &test.home, role).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Shown {
        let request = Request::get(path);
        self.send(request.body(Body::empty()).expect("a request"))
            .await
    }

    /// The token of this session's forms; none when nobody is signed in.
    pub(crate) async fn token(&mut self) -> Option<String> {
        let form = self.visit("/password").await;
        let fields = form
            .offers("/password")
            .then(|| form.filled("/password", &[]))?;
        fields
            .into_iter()
            .find_map(|(name, value)| (name == "csrf").then_some(value))
    }

    pub(crate) async fn request(&mut self, method: Method, path: &str) -> Shown {
        let request = Request::builder().method(method).uri(path);
        self.send(request.body(Body::empty()).expect("a request"))
            .await
    }

    /// Goes to a page and on as redirects say.
    pub(crate) async fn visit(&mut self, path: &str) -> Shown {
        let shown = self.get(path).await;
        self.follow(shown).await
    }

    /// Sends a form of a page with some fields filled in, and goes on as redirects say. An input
    /// without a value in `fields` is sent as it stands.
    pub(crate) async fn submit(
        &mut self,
        page: &Shown,
        action: &str,
        fields: &[(&str, &str)],
    ) -> Shown {
        let shown = self.post(action, &page.filled(action, fields)).await;
        self.follow(shown).await
    }

    /// Posts fields as they are.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(String, String)]) -> Shown {
        let body: Vec<String> = fields
            .iter()
            .map(|(k, v)| format!("{}={}", encode(k), encode(v)))
            .collect();
        let request = Request::post(path)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ORIGIN, "https://ql.example");
        self.send(request.body(Body::from(body.join("&"))).expect("a request"))
            .await
    }

    /// Opens a stream and leaves it open.
    pub(crate) async fn open(&self, path: &str) -> http::Response<Body> {
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(k, v)| format!("{k}={v}"))
            .collect();
        let request = Request::get(path)
            .header(HOST, "ql.example")
            .header(COOKIE, cookies.join("; "));
        let request = request.body(Body::empty()).expect("a request");
        let answer = self.router.clone().oneshot(request).await;
        answer.expect("an answer")
    }

    pub(crate) async fn send(&mut self, mut request: Request<Body>) -> Shown {
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(k, v)| format!("{k}={v}"))
            .collect();
        let headers = request.headers_mut();
        headers.insert(HOST, "ql.example".parse().expect("a host"));
        headers.insert(COOKIE, cookies.join("; ").parse().expect("cookies"));
        let response = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        let (parts, body) = response.into_parts();
        for cookie in parts.headers.get_all(SET_COOKIE) {
            let text = cookie
                .to_str()
                .expect("text")
                .split(';')
                .next()
                .expect("a pair");
            let (name, value) = text.split_once('=').expect("a pair");
            self.cookies.insert(name.into(), value.into());
        }
        let bytes = body.collect().await.expect("a body").to_bytes();
        let html = String::from_utf8_lossy(&bytes).into_owned();
        Shown {
            status: parts.status,
            headers: parts.headers,
            html,
        }
    }

    pub(crate) async fn follow(&mut self, mut shown: Shown) -> Shown {
        while shown.status.is_redirection() {
            let next = shown.location();
            shown = self.get(&next).await;
        }
        shown
    }
}

/// The address of a fresh sign-in link for a member.
pub(crate) async fn sign_in_link(test: &TestApp, place: &Place, role: Role) -> String {
    let site = ql_app::session::SiteRef::Id(place.site.id);
    let (operator, _) = test
        .app
        .operator_site_context(1000, &site)
        .await
        .expect("the site");
    let link = test
        .app
        .create_sign_in_link(&operator, place.members[&role])
        .await;
    format!("/sign-in/{}", link.expect("a link"))
}

fn encode(text: &str) -> String {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(byte).collect()
}

impl Shown {
    pub(crate) fn location(&self) -> String {
        let location = self.headers.get(LOCATION).expect("a redirect");
        location.to_str().expect("text").to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("text"))
    }

    /// The elements of the page.
    pub(crate) fn elements(&self) -> Vec<Element> {
        read(&self.html).unwrap_or_else(|problem| panic!("{problem}\n{}", self.html))
    }

    /// The page's heading.
    pub(crate) fn heading(&self) -> String {
        let elements = self.elements();
        let heading = elements.iter().find(|e| e.tag == "h1").expect("a heading");
        unescape(&heading.text)
    }

    /// The words of the page's main part, with spaces made one.
    pub(crate) fn words(&self) -> String {
        let elements = self.elements();
        let main = elements
            .iter()
            .find(|e| e.tag == "main")
            .expect("a main part");
        unescape(&main.text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    pub(crate) fn says(&self, words: &str) -> bool {
        self.words().contains(words)
    }

    /// The first link whose address contains `part`.
    pub(crate) fn link(&self, part: &str) -> String {
        let elements = self.elements();
        let mut links = elements.iter().filter_map(|e| e.get("href"));
        let found = links.find(|href| href.contains(part));
        found
            .unwrap_or_else(|| panic!("no link to {part}: {}", self.words()))
            .replace("&#38;", "&")
    }

    /// Whether the page has a form that goes to `action`.
    pub(crate) fn offers(&self, action: &str) -> bool {
        self.elements()
            .iter()
            .any(|e| e.tag == "form" && e.get("action") == Some(action))
    }

    /// The fields that a browser would send for a form, with some filled in.
    pub(crate) fn filled(&self, action: &str, fields: &[(&str, &str)]) -> Vec<(String, String)> {
        let elements = self.elements();
        let form = elements
            .iter()
            .position(|e| e.tag == "form" && e.get("action") == Some(action));
        let form = form.unwrap_or_else(|| panic!("no form for {action}: {}", self.words()));
        let depth = elements[form].inside.len();
        let inside = elements[form + 1..]
            .iter()
            .take_while(|e| e.inside.len() > depth);
        let controls: Vec<&Element> = inside.collect();
        let mut sent = Vec::new();
        for control in &controls {
            let Some(name) = control
                .get("name")
                .filter(|_| control.get("disabled").is_none())
            else {
                continue;
            };
            let given = fields.iter().any(|(key, _)| *key == name);
            if !given && let Some(value) = standing(control, &controls) {
                sent.push((name.to_owned(), value));
            }
        }
        let given = fields.iter().filter(|(_, value)| !value.is_empty());
        sent.extend(given.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        sent
    }
}

/// What a control that nobody touched is sent with.
fn standing(control: &Element, all: &[&Element]) -> Option<String> {
    let value = control.get("value").unwrap_or_default().to_owned();
    match (control.tag.as_str(), control.get("type")) {
        ("input", Some("checkbox" | "radio")) => control.get("checked").map(|_| value),
        ("input", _) => Some(unescape(&value)),
        ("textarea", _) => {
            let text = control.text.strip_prefix('\n').unwrap_or(&control.text);
            Some(unescape(text).replace('\n', "\r\n"))
        }
        ("select", _) => {
            let at = all
                .iter()
                .position(|e| std::ptr::eq(*e, control))
                .unwrap_or_default();
            let options = all[at + 1..].iter().take_while(|e| e.tag == "option");
            let options: Vec<&&Element> = options.collect();
            let chosen = options
                .iter()
                .find(|o| o.get("selected").is_some())
                .or(options.first());
            chosen.map(|option| option.get("value").unwrap_or(&option.text).to_owned())
        }
        _ => None,
    }
}

fn unescape(text: &str) -> String {
    let pairs = [
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#38;", "&"),
    ];
    pairs
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
