//! `querylayer connect`: the real command against the real server, and a gateway that answers as
//! Hermes does. `interop/hermes` does the same with Hermes itself.

mod addresses;
mod drills;
mod enrolment;
mod hermes;
mod leases;
mod other_harnesses;
mod person;
mod rounds;
mod world;
