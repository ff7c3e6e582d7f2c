import EaselBenchmarkHarness

/// Every case there is: a new group adds its file to Cases and its line here.
func allCases() -> [BenchmarkCase] {
  [
    selfCheckCases(),
    lockedCases(),
    contextCases(),
    keyCases(),
    memoryCases(),
    diskCases(),
    resizeCases(),
    cancellationCases(),
    managerCases(),
    pngCases(),
    curlCases(),
    jpegCases(),
    webpCases(),
    gifCases(),
    probeCases(),
    encodeCases(),
    transformerCases(),
    playbackCases(),
    thumbnailCases(),
    fileJobCases(),
    arrivalCases(),
    urlJobCases(),
    thumborCases(),
  ].flatMap { $0 }
}
