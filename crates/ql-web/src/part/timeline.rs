//! What happened, in order, on one vertical line.

use askama::Template;

use super::{Icon, Link, Tone, When, Who, icon};

/// A list of events, the earliest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Template)]
#[template(
    ext = "html",
    source = r#"<ol class="timeline">
{% for event in events %}<li><span class="mark mark-{{ event.tone }}">{{ event.icon() }}</span><div>{% if let Some(who) = event.who %}{{ who }} {% endif %}{{ event.text }}{% if let Some(link) = event.link %} <a href="{{ link.href }}">{{ link.text }}</a>{% endif %}{% if let Some(said) = event.said %}<p class="said">{{ said }}</p>{% endif %}</div>{{ event.at }}</li>
{% endfor %}</ol>"#
)]
pub struct Timeline {
    /// The events.
    pub events: Vec<Event>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What it means.
    pub tone: Tone,
    /// The icon where none of the four meanings fits.
    pub icon: &'static str,
    /// Who did it.
    pub who: Option<Who>,
    /// What was done, following the name: `published #12`.
    pub text: String,
    /// The thing it was done to.
    pub link: Option<Link>,
    /// What the person or agent said.
    pub said: Option<String>,
    /// When.
    pub at: When,
}

impl Event {
    fn icon(&self) -> Icon {
        match self.tone {
            Tone::Quiet => icon(self.icon),
            tone => tone.icon(),
        }
    }
}

super::markup!(Timeline);
