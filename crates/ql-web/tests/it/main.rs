//! The dashboard's tests: every page as it renders, and the routes as people use them.

mod html;
mod pages;
