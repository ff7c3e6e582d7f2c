import EaselCore

/// What a picture of ``MisbehavingCoder`` makes its decoder do.
package enum Misdeed: String, CaseIterable, Sendable {
  /// Decodes properly.
  case nothing
  case crash, trap, abort, exit
  case hang, sleep, stop, killItself
  case allocate, recurse, growOutput
  case fork, startThread, openFile, writeFile, listFolder, openSocket, connect, signalParent, trace, readMemory
  case execute, makeCode
  case pageOut, lendPriority
  case lieAboutSize, lieAboutOffset, lieAboutStride, lieAboutFrames, lieAboutMetadata, lieAboutOrientation
  case lieAboutFormat, announceAndTrickle
  case answerAnotherQuestion, announceTooMuch, announceAndStop, writeGarbage, writeNothing, closeSocket
  case shrinkOutput, changeInput, showOthers
  /// Answers as it should, and does not end when nobody wants more of it.
  case outstay
  /// Throws an error with control characters in its message.
  case throwOddly

  /// The misdeeds that end in an error of the sandbox or the coder, never in a picture.
  package static let failing = allCases.filter { ![.nothing, .showOthers, .changeInput, .outstay].contains($0) }

  /// The file that ``writeFile`` makes if nothing prevents it.
  package static let file = "/tmp/easel-misdeed"

  /// The file that commands it.
  package var bytes: ImageBytes { bytes(number: 0) }

  /// A file of its own for each number.
  package func bytes(number: Int) -> ImageBytes {
    ImageBytes(MisbehavingCoder.signature + Array("\(rawValue) \(number)".utf8))
  }
}
