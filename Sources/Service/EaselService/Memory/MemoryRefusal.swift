import EaselCore

/// The error of work for which there is no memory.
package enum MemoryRefusal: Error, Hashable {
  /// The server has too little now.
  case tooLittleNow
  /// The work needs more than all work together may have.
  case neverFits(Int, budget: Int)

  /// The error that callers of the manager get.
  var imageError: ImageError {
    switch self {
    case .tooLittleNow: return ImageError(.overloaded, message, cause: self)
    case .neverFits:
      var error = ImageError(.limitExceeded, message, cause: self)
      // A smaller result of the same source may fit.
      error.isTemporary = true
      return error
    }
  }

  package var message: String {
    switch self {
    case .tooLittleNow: "The server has too little memory for more work. Try again later."
    case .neverFits(let bytes, let budget):
      "The picture takes about \(Self.megabytes(bytes)) MB of memory to make, and this server has "
        + "\(Self.megabytes(budget)) MB for work."
    }
  }

  private static func megabytes(_ bytes: Int) -> Int { (bytes + 999_999) / 1_000_000 }
}
