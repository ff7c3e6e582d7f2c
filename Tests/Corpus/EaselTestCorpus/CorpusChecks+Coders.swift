import EaselCore
import EaselFormats

extension CorpusChecks {
  /// The formats whose pictures the manifest describes as they are shown.
  private static let uprightFormats: Set = ["avif", "heic", "jxl"]
  /// The formats that are drawn, and how far drawings of the same may lie apart.
  private static let drawings = ["svg": 24]

  /// Creates the checks of a coder of the house with the files of its format; nil if the corpus has none.
  ///
  /// With `checked`, that coder is checked in its place, such as the same one in a sandbox; with `takesTurns`, damaged
  /// files are decoded at one level each.
  package init?(of coder: any ImageCoder, checked: (any ImageCoder)? = nil, takesTurns: Bool = false) {
    guard let name = FormatCards.cards(of: coder).first?.name,
      let corpus = [Corpus.shared, Corpus.otherFormats].compactMap({ $0 }).first(where: {
        !$0.entries(format: name).isEmpty
      })
    else { return nil }
    self.init(
      checked ?? coder, format: name, isUpright: Self.uprightFormats.contains(name),
      drawingTolerance: Self.drawings[name], takesTurns: takesTurns, corpus: corpus)
  }

  /// The number of plays that the manifest's number of repeats means; nil where it does not tell.
  package var plays: ((Int?) -> Int)? {
    switch format {
    case "gif": { repeats in repeats.map { $0 == 0 ? 0 : $0 + 1 } ?? 1 }
    case "avif", "heic", "svg": nil
    default: { $0 ?? 0 }
    }
  }
}
