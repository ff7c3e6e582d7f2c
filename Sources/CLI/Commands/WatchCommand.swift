import Easel

/// Converts the pictures that arrive in a folder.
struct WatchCommand: Command {
  private static let output = Option<String>.text(
    "output", letter: "o", "OUTPUT", "The folder to write to, or a pattern of names.", completion: .directories)
  private static let existing = Option<Bool>.flag(
    "existing", "Begin with the pictures that are there and have no result yet, or an older one.")

  static let description = CommandDescription(
    name: "watch", summary: "Convert pictures as they come into a folder.",
    operands: CommandDescription.Operands(spelling: "DIR", count: 1...1, completion: .directories),
    details: [
      "A picture is converted when a program closes it after writing, or moves it into the folder, and again whenever it "
        + "changes; its result is replaced then. Pictures are known by the extensions of their names, and hidden files are "
        + "left out. With -r, folders in the folder are watched too, also those that come later.",
      "--output is a folder or a pattern: {name}, {dir}, {sub}, {ext} and {format} as with 'easel convert'. Results must not lie "
        + "among the pictures that are watched; the folder of the results itself may.",
      "The command ends when the folder is moved or deleted, with the exit status 1, and by SIGINT and SIGTERM; it says "
        + "then how much it did. Where the system cannot keep up with telling of changes, all files are looked through again.",
    ],
    options: [output.description, existing.description, BatchOptions.recursive.description] + ConversionOptions.all + [
      CommonOptions.jobs.description, BatchOptions.quiet.description, CommonOptions.json.description,
      ConfigurationDefaults.option.description,
    ],
    examples: [
      .init("easel watch inbox --resize 1600 --format webp -o web", "Convert what comes into the folder inbox."),
      .init(
        "easel watch -r photos --existing --resize 320 -o 'thumbs/{sub}/{name}.jpg'",
        "Keep small copies of all pictures up to date."),
    ])

  private let folder: String
  private let recurses: Bool
  private let takesExisting: Bool
  private let pattern: OutputPattern
  private let job: ConversionJob
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    let folder = arguments.operands[0]
    guard FileIdentity(folder: folder) != nil else {
      throw UsageError("watch needs a folder, and \(printable(folder)) is none.")
    }
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    guard let output = try arguments.value(Self.output) else {
      throw UsageError("watch needs --output OUTPUT to know where to write.")
    }
    let options = try BatchOptions(arguments)
    let read = try OutputPattern(output)
    pattern = read.isOneFile ? OutputPattern(folder: read.path(OutputPattern.Values(name: ""))) : read
    for field in [OutputPattern.Field.width, .height, .index] where pattern.uses(field) {
      throw UsageError(
        "{\(field.rawValue)} may change with each version of a picture, so watch cannot name files by it.")
    }
    recurses = options.recurses
    takesExisting = arguments.has(Self.existing)
    isJSON = options.isJSON
    try Self.checkPlace(pattern, in: self.folder, recurses)
    let conversion = try ConversionOptions.conversion(
      arguments, named: FormatNames.writtenFormat(ofFile: pattern.ending))
    if !pattern.endsWithFormat { try ConversionOptions.checkOneFormat(conversion) }
    guard conversion.format != nil || pattern.needsFormat else {
      throw UsageError("watch cannot tell the format from '\(printable(output))': give --format NAME.")
    }
    job = ConversionJob(pattern: pattern, conversion: conversion, options: options)
  }

  /// Refuses a place inside the watched folder, because the results would be converted again without end.
  private static func checkPlace(_ pattern: OutputPattern, in folder: String, _ recurses: Bool) throws(UsageError) {
    let place = pattern.folder.isEmpty ? "." : pattern.folder
    let isAmong =
      pattern.uses(.dir) && pattern.folder.isEmpty || FileIdentity(folder: place) == FileIdentity(folder: folder)
    guard isAmong else { return }
    throw UsageError(
      "The results would lie among the pictures in \(printable(folder)) and be watched too. Name another folder with "
        + "--output; it may be one in it.")
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    let run = WatchRun(folder, recurses: recurses, resultFolder: pattern.resultFolder, job, report)
    Interruption.handle { run.farewell() }
    do {
      try run.run(takesExisting: takesExisting)
    } catch {
      report.failure(of: folder, error)
    }
    run.farewell()
    return .failure
  }
}
