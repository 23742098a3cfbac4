//! The program as its operators meet it: started as a process, spoken to over the wire. And the
//! repository as a whole.

mod administration;
mod backup;
mod canary;
mod connect;
mod connection_test;
mod day;
mod demo;
mod director;
mod faults;
mod fetching;
mod injection;
mod kill9;
mod ledger;
mod policy;
mod postgres;
mod process;
mod productions;
mod provider;
mod quickstart;
mod scripture;
mod serving;
mod tidy;
mod verifier;
mod wire;
