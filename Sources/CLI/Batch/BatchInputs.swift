import EaselCore
import Glibc

/// The inputs of a command, one after another: words of the command line, and the pictures in folders that they name.
struct BatchInputs: Sequence, Sendable {
  let words: [String]
  /// True to search folders for pictures.
  var recurses = false
  /// The folder of the results, which is skipped even if it lies inside an input folder.
  var resultFolder: String?

  /// True to number inputs that have the same name in the same folder.
  var numbersNames = false

  /// True if results keep the extensions of their inputs.
  var keepsExtensions = false

  /// False for a single word that names no folder to search.
  var mayBeMany: Bool { words.count > 1 || recurses }

  /// The number of inputs; folders are read to count them.
  func counted() -> Int { recurses ? reduce(0) { count, _ in count + 1 } : words.count }

  func makeIterator() -> Iterator {
    Iterator(
      words: words[...], recurses: recurses, left: leftFolder, names: numbersNames ? FileNames() : nil,
      keepsExtensions: keepsExtensions)
  }

  /// The folder of the results, unless it is an input itself.
  private var leftFolder: String? {
    guard recurses, let resultFolder else { return nil }
    let result = FileIdentity(folder: resultFolder)
    return result != nil && words.contains { FileIdentity(folder: $0) == result } ? nil : resultFolder
  }

  struct Iterator: IteratorProtocol {
    private var words: ArraySlice<String>
    private let recurses: Bool
    private let left: String?
    private var names: FileNames?
    private let keepsExtensions: Bool
    private var walk: FolderWalk?
    private var count = 0

    fileprivate init(
      words: ArraySlice<String>, recurses: Bool, left: String?, names: FileNames?, keepsExtensions: Bool
    ) {
      (self.words, self.recurses, self.left, self.names) = (words, recurses, left, names)
      self.keepsExtensions = keepsExtensions
    }

    mutating func next() -> BatchInput? {
      guard var input = found() else { return nil }
      count += 1
      input.index = count
      input.keepsExtension = keepsExtensions
      if names != nil { input.name = names!.next(for: input.word, in: input.subfolder) }
      return input
    }

    private mutating func found() -> BatchInput? {
      while true {
        if let input = walk?.next() { return input }
        walk = nil
        guard let word = words.popFirst() else { return nil }
        guard case .file(let path) = Input(word), !path.isEmpty, FileIdentity(folder: path) != nil else {
          return BatchInput(word)
        }
        guard recurses else { return BatchInput(word, problem: Self.refusal(of: path)) }
        walk = FolderWalk(path, leavingOut: left)
      }
    }

    private static func refusal(of path: String) -> ImageError {
      ImageError(
        .badImageData, "\(path) is a folder. Give -r to take all pictures in it, or name some of them.", subject: path)
    }
  }
}
