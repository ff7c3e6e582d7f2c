import CEaselJPEG
import Easel
import EaselService

/// Converts the inputs of a batch, each to a separate file.
struct ConversionJob: Sendable {
  let pattern: OutputPattern
  let conversion: Conversion
  var options: BatchOptions
  /// The number of times that each picture is converted; the reported time is the median.
  var repeats = 1
  /// True if a result must never replace its input.
  var protectsInputs = false
  var room = MemoryRoom.ofThisMachine

  var reader: InputReader { InputReader(limits: conversion.limits, coder: conversion.coder) }

  func run(on inputs: BatchInputs, total: Int, _ report: Report) -> ExitStatus {
    let isMany = inputs.mayBeMany
    var job = self
    // A single picture gets all the memory.
    if !isMany { job.options.jobs = 1 }
    let run = BatchRun(inputs, total: total, job.options, report, showsSummary: isMany)
    Interruption.handle { if isMany { run.farewell() } }
    easel_jpeg_keep_freed_memory()
    run.run { [job] in try job.convert($0) }
    return report.status
  }

  /// Converts one input and writes its file.
  func convert(_ input: BatchInput) throws -> BatchOutcome {
    var values = input.values
    values.format = conversion.format
    // If an existing file is to stay, the input need not be read.
    if let planned = plannedPath(values), let passed = try passedOver(input, planned) { return passed }
    let bytes = try reader.bytes(of: input.word)
    if values.format == nil, conversion.candidates.isEmpty {
      values.format = BatchPlan.kept(try conversion.coder.format(of: bytes))
      if let planned = plannedPath(values), let passed = try passedOver(input, planned) { return passed }
    }
    let planned = plannedPath(values)
    if options.isDryRun { return dryRun(input, planned ?? pattern.path(values)) }
    let made = try room.run(footprint(of: bytes)) { try self.made(of: bytes) }
    (values.format, values.size) = (made.product.format, made.product.size)
    let path = pattern.path(values)
    if path != planned, let passed = try passedOver(input, path) { return passed }
    if protectsInputs { try refuseToReplace(input, path) }
    if !pattern.isOneFile { try OutputFile.makeDirectory(of: path) }
    try OutputFile.write(made.product.bytes, to: path, mayReplace: options.existing.mayReplace)
    return .written(
      made.product.json(input.word, path, made.time), made.product.text(path),
      bytes: (bytes.count, made.product.bytes.count))
  }

  /// This job with another rule for existing files.
  func following(_ rule: ExistingFiles) -> ConversionJob {
    var job = self
    job.options.existing = rule
    return job
  }

  /// False if the result of an input exists and is not older; its name must not depend on the content of the result.
  func isStale(_ input: BatchInput) -> Bool {
    var values = input.values
    values.format = conversion.format
    if values.format == nil, pattern.needsFormat, let path = input.path,
      let bytes = try? ImageBytes(contentsOfFile: path)
    {
      values.format = BatchPlan.kept(try? conversion.coder.format(of: bytes))
    }
    guard let planned = plannedPath(values), !BatchPlan.isItself(input, planned) else { return false }
    return (try? ExistingFiles.renew.allows(planned, from: input.path.flatMap { FileTime(ofFile: $0) })) ?? true
  }

  func made(of bytes: ImageBytes) throws -> (product: Conversion.Product, time: Duration) {
    var times: [Duration] = []
    var product: Conversion.Product?
    for _ in 0..<repeats {
      var watch = Stopwatch()
      product = try watch.measure { try conversion.run(on: bytes) }
      times.append(watch.total)
    }
    return (product!, Stopwatch.median(times))
  }

  /// The path of the result, nil if it depends on facts that are not known yet.
  private func plannedPath(_ values: OutputPattern.Values) -> String? {
    guard !pattern.uses(.width), !pattern.uses(.height), values.format != nil || !pattern.needsFormat else {
      return nil
    }
    return pattern.path(values)
  }

  private func passedOver(_ input: BatchInput, _ path: String) throws(ImageError) -> BatchOutcome? {
    if input.isFound, BatchPlan.isItself(input, path) {
      return .passedOver(input.word, path, "because it would be written to itself")
    }
    let time = options.existing == .renew ? input.path.flatMap { FileTime(ofFile: $0) } : nil
    guard try !options.existing.allows(path, from: time) else { return nil }
    return .passedOver(
      input.word, path, options.existing == .renew ? "because it is there and not older" : "because it is there already"
    )
  }

  private func dryRun(_ input: BatchInput, _ path: String) -> BatchOutcome {
    .written(
      ["input": .string(Input.name(input.word)), "output": .string(path), "dryRun": true],
      "\(printable(path)): would be written from \(printable(Input.name(input.word)))", bytes: (0, 0))
  }

  /// Refuses to replace a picture with a smaller version of itself, because the picture would be lost.
  private func refuseToReplace(_ input: BatchInput, _ path: String) throws(ImageError) {
    guard let source = input.path, FileIdentity(source) != nil, FileIdentity(source) == FileIdentity(path) else {
      return
    }
    throw ImageError(
      .encodeFailed, "The thumbnail would overwrite its own picture \(path). Give another directory with --dir.",
      subject: source)
  }

  /// The memory that the work on a picture takes; 0 if the picture is the only one and may take all.
  private func footprint(of bytes: ImageBytes) throws -> Int {
    guard options.jobs > 1 else { return 0 }
    return try WorkFootprint(
      of: bytes, by: conversion.coder, limits: conversion.limits, decodedTo: conversion.decodeOptions.thumbnailSize,
      as: conversion.format
    ).bytes
  }
}
