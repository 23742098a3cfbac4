//! The dashboard's tests: every page as it renders, and the routes as people use them.

mod agents;
mod browser;
mod console;
mod contrast;
mod deciding;
mod html;
mod leaks;
mod pages;
mod productions;
mod relations;
mod routes;
mod safety;
mod sign_in;
mod topics;
mod writing;
