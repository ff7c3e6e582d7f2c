import Easel
import Foundation
import Testing

/// Converts a picture with the program; returns its output and the picture that it wrote.
func convert(
  _ data: Data, _ options: [String], to name: String = "out.png"
) throws -> (outcome: EaselProcess.Outcome, data: Data?) {
  try Scratch.with { scratch in
    let path = try scratch.write(data, "in.png")
    let outcome = try EaselProcess.run(["convert", path, "-o", scratch.path(name)] + options)
    return (outcome, try? scratch.data(name))
  }
}

/// The picture that the program makes of another; fails if it makes none.
func converted(_ data: Data, _ options: String...) throws -> Image {
  let result = try convert(data, options)
  #expect(result.outcome.status == 0, "\(result.outcome.errors)")
  return try Pictures.decoded(try #require(result.data))
}
