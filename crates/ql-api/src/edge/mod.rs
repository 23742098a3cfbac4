//! What every HTTP surface does before it looks at a request: who may reach it from where, how
//! often, how much it may send, and with which credential. Each part only decides; the surface
//! renders the decision in its own error shape.

pub mod body;
pub mod cors;
pub mod credential;
pub mod guard;
pub mod origin;
pub mod peer;
pub mod rate;
