//! The static page without a network.

use crate::SWITCH;
use crate::browser::{Browser, DESKTOP};

#[test]
fn the_static_page_works_without_a_network_after_the_first_visit() {
    let Some(browser) = Browser::open("offline", &[], DESKTOP, false) else {
        return;
    };
    let Some(files) = &browser.files else {
        println!(
            "skipped: the page of the local server needs it; OMNOGRAM_PAGE names a static page"
        );
        return;
    };
    browser.run_async("await navigator.serviceWorker.ready;");
    files.go();
    browser.reload();
    browser.new_picture(5, 5);
    browser.checked(|browser| browser.draw(&SWITCH));
    assert_eq!(browser.verdict(), "multiple");
    browser.click("#repair");
    browser.until("document.querySelectorAll('#repair-list .proposal').length > 0");
}
