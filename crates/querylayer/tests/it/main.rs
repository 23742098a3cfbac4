//! The program as its operators meet it: started as a process, spoken to over the wire.

mod administration;
mod backup;
mod demo;
mod kill9;
mod process;
mod quickstart;
mod serving;
