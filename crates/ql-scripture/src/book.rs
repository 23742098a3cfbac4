//! The books of the Bible, canonical and deuterocanonical.

use std::fmt;

/// Declares the enum, the list in canonical order and the three names of each book at once.
macro_rules! books {
    ($($variant:ident $osis:literal $usfm:literal $english:literal)*) => {
        /// A book: the Old Testament, the New Testament, then the deuterocanonical books.
        ///
        /// The order of the variants is the order of the books, so that a range from Malachi to
        /// Matthew holds nothing between them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Book {
            $(#[doc = concat!($english, ", in OSIS `", $osis, "`, in USFM `", $usfm, "`.")] $variant,)*
        }

        impl Book {
            /// Every book in canonical order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            const NAMES: &'static [[&'static str; 3]] = &[$([$osis, $usfm, $english],)*];
        }
    };
}

books! {
    Gen "Gen" "GEN" "Genesis"
    Exod "Exod" "EXO" "Exodus"
    Lev "Lev" "LEV" "Leviticus"
    Num "Num" "NUM" "Numbers"
    Deut "Deut" "DEU" "Deuteronomy"
    Josh "Josh" "JOS" "Joshua"
    Judg "Judg" "JDG" "Judges"
    Ruth "Ruth" "RUT" "Ruth"
    FirstSam "1Sam" "1SA" "1 Samuel"
    SecondSam "2Sam" "2SA" "2 Samuel"
    FirstKgs "1Kgs" "1KI" "1 Kings"
    SecondKgs "2Kgs" "2KI" "2 Kings"
    FirstChr "1Chr" "1CH" "1 Chronicles"
    SecondChr "2Chr" "2CH" "2 Chronicles"
    Ezra "Ezra" "EZR" "Ezra"
    Neh "Neh" "NEH" "Nehemiah"
    Esth "Esth" "EST" "Esther"
    Job "Job" "JOB" "Job"
    Ps "Ps" "PSA" "Psalms"
    Prov "Prov" "PRO" "Proverbs"
    Eccl "Eccl" "ECC" "Ecclesiastes"
    Song "Song" "SNG" "Song of Songs"
    Isa "Isa" "ISA" "Isaiah"
    Jer "Jer" "JER" "Jeremiah"
    Lam "Lam" "LAM" "Lamentations"
    Ezek "Ezek" "EZK" "Ezekiel"
    Dan "Dan" "DAN" "Daniel"
    Hos "Hos" "HOS" "Hosea"
    Joel "Joel" "JOL" "Joel"
    Amos "Amos" "AMO" "Amos"
    Obad "Obad" "OBA" "Obadiah"
    Jonah "Jonah" "JON" "Jonah"
    Mic "Mic" "MIC" "Micah"
    Nah "Nah" "NAM" "Nahum"
    Hab "Hab" "HAB" "Habakkuk"
    Zeph "Zeph" "ZEP" "Zephaniah"
    Hag "Hag" "HAG" "Haggai"
    Zech "Zech" "ZEC" "Zechariah"
    Mal "Mal" "MAL" "Malachi"
    Matt "Matt" "MAT" "Matthew"
    Mark "Mark" "MRK" "Mark"
    Luke "Luke" "LUK" "Luke"
    John "John" "JHN" "John"
    Acts "Acts" "ACT" "Acts"
    Rom "Rom" "ROM" "Romans"
    FirstCor "1Cor" "1CO" "1 Corinthians"
    SecondCor "2Cor" "2CO" "2 Corinthians"
    Gal "Gal" "GAL" "Galatians"
    Eph "Eph" "EPH" "Ephesians"
    Phil "Phil" "PHP" "Philippians"
    Col "Col" "COL" "Colossians"
    FirstThess "1Thess" "1TH" "1 Thessalonians"
    SecondThess "2Thess" "2TH" "2 Thessalonians"
    FirstTim "1Tim" "1TI" "1 Timothy"
    SecondTim "2Tim" "2TI" "2 Timothy"
    Titus "Titus" "TIT" "Titus"
    Phlm "Phlm" "PHM" "Philemon"
    Heb "Heb" "HEB" "Hebrews"
    Jas "Jas" "JAS" "James"
    FirstPet "1Pet" "1PE" "1 Peter"
    SecondPet "2Pet" "2PE" "2 Peter"
    FirstJohn "1John" "1JN" "1 John"
    SecondJohn "2John" "2JN" "2 John"
    ThirdJohn "3John" "3JN" "3 John"
    Jude "Jude" "JUD" "Jude"
    Rev "Rev" "REV" "Revelation"
    Tob "Tob" "TOB" "Tobit"
    Jdt "Jdt" "JDT" "Judith"
    EsthGr "EsthGr" "ESG" "Greek Esther"
    Wis "Wis" "WIS" "Wisdom"
    Sir "Sir" "SIR" "Sirach"
    Bar "Bar" "BAR" "Baruch"
    EpJer "EpJer" "LJE" "Letter of Jeremiah"
    PrAzar "PrAzar" "PAZ" "Prayer of Azariah"
    SgThree "SgThree" "S3Y" "Song of the Three Young Men"
    Sus "Sus" "SUS" "Susanna"
    Bel "Bel" "BEL" "Bel and the Dragon"
    FirstMacc "1Macc" "1MA" "1 Maccabees"
    SecondMacc "2Macc" "2MA" "2 Maccabees"
    ThirdMacc "3Macc" "3MA" "3 Maccabees"
    FourthMacc "4Macc" "4MA" "4 Maccabees"
    FirstEsd "1Esd" "1ES" "1 Esdras"
    SecondEsd "2Esd" "2ES" "2 Esdras"
    PrMan "PrMan" "MAN" "Prayer of Manasseh"
    AddPs "AddPs" "PS2" "Psalm 151"
}

/// Other identifiers in use: OSIS files and USFM files differ in how they name a few of the
/// deuterocanonical books.
const ALIASES: [(&str, Book); 5] = [
    ("GkEsth", Book::EsthGr),
    ("AddEsth", Book::EsthGr),
    ("Ps151", Book::AddPs),
    ("Sg3", Book::SgThree),
    ("PrAz", Book::PrAzar),
];

impl Book {
    /// The identifier in OSIS references, such as `1Sam`.
    pub const fn osis(self) -> &'static str {
        Self::NAMES[self as usize][0]
    }

    /// The identifier in USFM files, such as `1SA`.
    ///
    /// USFM has none for the Prayer of Azariah apart from the Song of the Three; `PAZ` is our own.
    pub const fn usfm(self) -> &'static str {
        Self::NAMES[self as usize][1]
    }

    /// The usual English name, such as `1 Samuel`.
    pub const fn english(self) -> &'static str {
        Self::NAMES[self as usize][2]
    }

    /// The book with this OSIS identifier, whatever the case of its letters.
    ///
    /// ```
    /// use ql_scripture::Book;
    /// assert_eq!(Book::from_osis("1Sam"), Some(Book::FirstSam));
    /// assert_eq!(Book::from_osis("Samuel"), None);
    /// ```
    pub fn from_osis(id: &str) -> Option<Self> {
        let mut listed = Self::ALL.iter().copied();
        let mut aliases = ALIASES.iter();
        listed
            .find(|book| book.osis().eq_ignore_ascii_case(id))
            .or_else(|| Some(aliases.find(|(alias, _)| alias.eq_ignore_ascii_case(id))?.1))
    }

    /// The book with this USFM identifier, whatever the case of its letters.
    pub fn from_usfm(id: &str) -> Option<Self> {
        let mut listed = Self::ALL.iter().copied();
        listed.find(|book| book.usfm().eq_ignore_ascii_case(id))
    }

    /// The place in canonical order, from 0.
    pub const fn index(self) -> u8 {
        self as u8
    }

    /// The book at a place in canonical order.
    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// Whether it stands outside the 66 books that all churches of the West share.
    pub fn is_deuterocanonical(self) -> bool {
        self > Self::Rev
    }

    /// Whether it belongs to the New Testament.
    pub fn is_new_testament(self) -> bool {
        (Self::Matt..=Self::Rev).contains(&self)
    }
}

/// The OSIS identifier.
impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.osis())
    }
}
